"use strict";
// Follows an image of a live index while it is being scanned, and shows its page when that has ended.

const pollSeconds = 1;

async function poll() {
  const wait = () => new Promise((done) => setTimeout(done, pollSeconds * 1000));
  const say = (words) => {
    byID("connection").hidden = false;
    byID("connection").classList.add("ended");
    byID("connection-text").textContent = words;
    byID("again").hidden = true;
    document.body.dataset.lost = "1";
  };
  try {
    for (;;) {
      const start = performance.now(), answer = await fetch(byID("picture").dataset.updates);
      if (!answer.ok) break;
      page.take(await answer.json());
      await wait();
      // A large state is asked for less often, and none by a page that nobody sees.
      while (document.hidden || performance.now() - start < 1000 * pollSeconds) await wait();
    }
    if ((await fetch(location.href)).ok) location.reload();
    else say("The scan of this image has ended. It has no page: see the list of all images.");
  } catch {
    say("The connection is lost. The server has ended or cannot be reached.");
  }
}
poll();
