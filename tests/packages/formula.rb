# Installs a formula's archive as Homebrew would, by the few words of its language that the formula has.
#
#     ruby formula.rb FORMULA PREFIX
require "digest"
require "fileutils"
require "pathname"
require "rbconfig"
require "tmpdir"

# A directory of the prefix, which takes files and renamed files.
class Pathname
  def install(*files)
    mkpath
    files.flatten.each do |file|
      from, to = file.is_a?(Hash) ? file.first : [file, File.basename(file)]
      FileUtils.cp(from, self / to, preserve: true)
    end
  end
end

# What the formula inherits.
class Formula
  PREFIX = Pathname.new(ARGV.fetch(1)).expand_path
  PLACES = {
    bin: "bin", man1: "share/man/man1", man5: "share/man/man5", man7: "share/man/man7",
    bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d",
  }.freeze
  PLACES.each { |name, path| define_method(name) { PREFIX / path } }

  class << self
    %i[desc homepage version license url sha256].each do |name|
      define_method(name) { |value = nil| value ? (facts[name] = value) : facts[name] }
    end

    def facts = @facts ||= {}
    def test = nil
    def on_linux = RbConfig::CONFIG["host_os"].include?("linux") && yield
    def on_macos = RbConfig::CONFIG["host_os"].include?("darwin") && yield
    def on_intel = RbConfig::CONFIG["host_cpu"].include?("x86") && yield
    def on_arm = RbConfig::CONFIG["host_cpu"].match?(/arm|aarch/) && yield
  end
end

load ARGV.fetch(0)
abort "the description is longer than Homebrew's 80 characters" if Pimem.desc.length > 80
archive = Pimem.url.delete_prefix("file://")
abort "the sum is not that of the archive" unless Digest::SHA256.file(archive).hexdigest == Pimem.sha256
Dir.mktmpdir do |place|
  system("tar", "-xf", archive, "-C", place, "--strip-components=1", exception: true)
  Dir.chdir(place) { Pimem.new.install }
end
%w[bin/pimem share/man/man1/pimem.1 share/zsh/site-functions/_pimem].each do |file|
  abort "#{file} was not installed" unless File.size?(Formula::PREFIX / file)
end
