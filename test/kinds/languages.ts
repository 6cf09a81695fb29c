import { type Kind, packageJson } from './kind.ts';

/** Registries of these languages are not needed: what is installed is Composer's loader, what is built are pages by Node, and modules. */
const php: Kind = {
  name: 'php-composer',
  files: {
    'composer.json': `${JSON.stringify(
      {
        name: 'example/hello',
        require: { php: '>=8.0' },
        repositories: [{ 'packagist.org': false }],
        autoload: { 'psr-4': { 'App\\': 'src/' } },
      },
      undefined,
      2,
    )}\n`,
    'src/Greeting.php':
      "<?php\nnamespace App;\n\nclass Greeting\n{\n    public const TEXT = 'Hello from php-composer';\n}\n",
    'public/index.php': "<?php\nrequire __DIR__ . '/../vendor/autoload.php';\n\necho App\\Greeting::TEXT;\n",
  },
  answers: { path: '/', includes: 'Hello from php-composer' },
  programs: ['php', 'composer'],
  differs: "the name of Composer's loader, random; config.autoloader-suffix settles it",
  detected: { provider: 'php', framework: '', packageManager: 'composer', port: 8080 },
};

const ruby: Kind = {
  name: 'ruby-bundler',
  files: {
    Gemfile: "ruby '>= 3.0'\n",
    Procfile: 'web: bundle exec ruby server.rb\n',
    'package.json': packageJson({ name: 'pages', scripts: { build: 'node build.js' } }),
    'build.js': "require('node:fs').writeFileSync('words.txt', 'Hello from ruby-bundler\\n');\n",
    'server.rb': `require 'socket'

# Only the build has written it.
words = File.read('words.txt')
server = TCPServer.new('0.0.0.0', ENV.fetch('PORT').to_i)
loop do
  Thread.new(server.accept) do |client|
    nil until client.gets.to_s.strip.empty?
    client.write "HTTP/1.1 200 OK\\r\\nContent-Length: #{words.bytesize}\\r\\nConnection: close\\r\\n\\r\\n#{words}"
    client.close
  end
end
`,
  },
  answers: { path: '/', includes: 'Hello from ruby-bundler' },
  programs: ['ruby', 'bundle'],
  detected: { provider: 'ruby', framework: '', packageManager: 'bundler', port: 3000 },
};

const elixir: Kind = {
  name: 'elixir-mix',
  files: {
    Procfile: 'web: mix run --no-compile --no-halt\n',
    'mix.exs': `defmodule Hello.MixProject do
  use Mix.Project

  def project, do: [app: :hello, version: "1.0.0", elixir: "~> 1.11"]
  def application, do: [mod: {Hello, []}]
end
`,
    'lib/hello.ex': `defmodule Hello do
  use Application

  @words "Hello from elixir-mix"

  def start(_type, _arguments) do
    port = String.to_integer(System.fetch_env!("PORT"))
    {:ok, socket} = :gen_tcp.listen(port, [:binary, packet: :raw, active: false, reuseaddr: true])
    {:ok, spawn_link(fn -> serve(socket) end)}
  end

  defp serve(socket) do
    {:ok, client} = :gen_tcp.accept(socket)
    _ = :gen_tcp.recv(client, 0)
    head = "HTTP/1.1 200 OK\\r\\ncontent-length: #{byte_size(@words)}\\r\\nconnection: close\\r\\n\\r\\n"
    _ = :gen_tcp.send(client, head <> @words)
    :gen_tcp.close(client)
    serve(socket)
  end
end
`,
  },
  answers: { path: '/', includes: 'Hello from elixir-mix' },
  programs: ['mix'],
  differs: '.mix/compile.app_tracer, a file of its compiler, is another one each time',
  detected: { provider: 'elixir', framework: '', packageManager: 'mix', port: 4000 },
};

export const languageKinds: readonly Kind[] = [php, ruby, elixir];
