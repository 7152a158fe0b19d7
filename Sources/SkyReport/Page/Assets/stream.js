"use strict";
// Follows the server's stream of updates and shows the state of the connection.

const retrySeconds = [1, 2, 4, 8, 16, 30, 30, 30];

/**
 * Calls `take` with each update of `subject`; one that has `end` is the last. A lost connection is tried again at growing intervals,
 * and after the last of them only on request.
 */
function follow(take, subject = "scan") {
  const [line, text, again] = ["connection", "connection-text", "again"].map(byID);
  let failures = 0, source, timer;
  const say = (words, isEnded = false) => {
    line.hidden = words === "";
    line.classList.toggle("ended", isEnded);
    if (text.textContent !== words) text.textContent = words;
  };
  // Nothing is known before the first update: what would show it is hidden.
  document.body.classList.add("connecting");
  say("Connecting …", true);
  const connect = () => {
    again.hidden = true;
    source = new EventSource("events");
    source.addEventListener("message", ({ data }) => {
      failures = 0;
      delete document.body.dataset.lost;
      document.body.classList.remove("connecting");
      const update = JSON.parse(data);
      take(update);
      if (update.end) {
        source.close();
        document.body.dataset.ended = update.end.ending ?? "ended";
        say(`The ${subject} has ended. This page shows its last state.`, true);
      } else {
        say("");
      }
    });
    source.addEventListener("error", () => {
      // Otherwise the browser would reconnect without end.
      source.close();
      if (document.body.dataset.ended) return;
      const seconds = retrySeconds[failures++];
      document.body.dataset.lost = String(failures);
      again.hidden = false;
      if (seconds === undefined) {
        say("The connection is lost. The server has ended or cannot be reached.");
        return;
      }
      say(`The connection is lost. Next attempt in ${seconds} s.`);
      timer = setTimeout(connect, seconds * 1000);
    });
  };
  again.addEventListener("click", () => {
    clearTimeout(timer);
    source.close();
    failures = 0;
    connect();
  });
  // A page in the browser's history must not count as a watcher.
  addEventListener("pagehide", () => { clearTimeout(timer); source.close(); });
  addEventListener("pageshow", ({ persisted }) => { if (persisted && !document.body.dataset.ended) connect(); });
  connect();
}
