# Formula for a local tap; builds the checkout in HOMEBREW_SKYFARM. Not tested on macOS.
#
#   brew tap-new me/skyfarm
#   cp packaging/homebrew/skyfarm.rb "$(brew --repository me/skyfarm)/Formula/"
#   HOMEBREW_SKYFARM=$PWD brew install --HEAD me/skyfarm/skyfarm
class Skyfarm < Formula
  desc "Scan sky images with every machine on the local network"
  homepage "file://#{ENV.fetch("HOMEBREW_SKYFARM", HOMEBREW_PREFIX)}/README.md"
  license "Apache-2.0"
  head "file://#{ENV.fetch("HOMEBREW_SKYFARM", HOMEBREW_PREFIX)}", using: :git, branch: "main"

  depends_on "pkgconf" => :build
  depends_on xcode: ["26.0", :build]
  depends_on "cfitsio"
  depends_on "expat"
  depends_on "libmicrohttpd"
  depends_on "libpng"
  depends_on "libuv"
  depends_on "openssl@3"
  depends_on "sqlite"
  depends_on "wcslib"
  depends_on "xxhash"
  depends_on "zlib"
  depends_on "zstd"

  def install
    system "swift", "build", "--disable-sandbox", "-c", "release", "-Xswiftc", "-cross-module-optimization",
           "--product", "skyfarm"
    bin.install ".build/release/skyfarm"
    generate_completions_from_executable(bin/"skyfarm", "completions", shells: [:bash, :zsh, :fish])
    commands = Utils.safe_popen_read(bin/"skyfarm", "--help")[/^Commands:\n(.*?)\n\n/m, 1].scan(/^  ([a-z]+)/).flatten
    (buildpath/"skyfarm.1").write Utils.safe_popen_read(bin/"skyfarm", "help", "--man")
    commands.each do |command|
      (buildpath/"skyfarm-#{command}.1").write Utils.safe_popen_read(bin/"skyfarm", "help", "--man", command)
    end
    man1.install Dir["skyfarm*.1"]
  end

  # `brew services start skyfarm` runs the node with the key of the user who starts it.
  service do
    run [opt_bin/"skyfarm", "node"]
    keep_alive crashed: true
    log_path var/"log/skyfarm-node.log"
    error_log_path var/"log/skyfarm-node.log"
  end

  test do
    system bin/"skyfarm", "synth", "sky.fits", "--size", "512"
    system bin/"skyfarm", "scan", "sky.fits", "--no-discovery", "-o", "sources.csv"
    assert_path_exists testpath/"sources.csv"
  end
end
