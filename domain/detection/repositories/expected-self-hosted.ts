import { type Expected, image, pages, refused, server } from './expectation.ts';

const franken = (root: string): string => `frankenphp php-server --root ${root} --listen :$PORT`;
const precompile = 'bundle exec rails assets:precompile';
const rails = 'bundle exec rails server -b 0.0.0.0 -p $PORT';
const aspnet = (folder: string, name: string): string =>
  `cd ${folder}/bin/publish && ASPNETCORE_URLS=http://0.0.0.0:$PORT dotnet ${name}.dll`;
const publish = (folder: string, name: string): string =>
  `dotnet publish ${folder}/${name}.csproj -c Release -o ${folder}/bin/publish`;
const goBuild = (folder: string): string => `go build -trimpath -o bin/app ${folder}`;
const cargoBuild = (name: string, more = ''): string =>
  `cargo build --release --locked${more} && mkdir -p bin && cp target/release/${name} bin/app`;
const gunicorn = (app: string): string => `gunicorn ${app} --bind 0.0.0.0:$PORT`;

export const php: readonly Expected[] = [
  server('laravel/laravel', 'php laravel composer', 'npm run build', franken('public'), 8080),
  server('BookStackApp/BookStack', 'php laravel composer', 'npm run production', franken('public'), 8080),
  server(
    'symfony/demo',
    'php symfony composer',
    'php bin/console sass:build && php bin/console asset-map:compile',
    franken('public'),
    8080,
  ),
  image('kimai/kimai', 8001),
  server('kimai/kimai!', 'php symfony composer', 'pnpm run build', franken('public'), 8080),
  server('roots/bedrock', 'php wordpress composer', '', franken('web'), 8080),
  server('slimphp/Slim-Skeleton', 'php slim composer', '', franken('public'), 8080),
  server('YOURLS/YOURLS', 'php - composer', '', franken('.'), 8080),
  server('dokuwiki/dokuwiki', 'php - composer', '', franken('.'), 8080),
];

export const languages: readonly Expected[] = [
  server('lobsters/lobsters', 'ruby rails bundler', precompile, rails, 3000),
  server(
    'huginn/huginn',
    'ruby rails bundler',
    `npm run build && ${precompile}`,
    'bundle exec puma -C config/puma.rb',
    3000,
  ),
  server('redmine/redmine', 'ruby rails bundler', precompile, rails, 3000),
  refused('sinatra/heroku-sinatra-app', /Gemfile/),
  image('dwyl/phoenix-chat-example', 4000),
  server(
    'dwyl/phoenix-chat-example!',
    'elixir phoenix mix',
    'mix compile && mix assets.deploy && mix release',
    '_build/prod/rel/chat/bin/chat start',
    4000,
  ),
  server(
    'thechangelog/changelog.com',
    'elixir phoenix mix',
    '(cd assets && yarn run compile) && mix compile && mix phx.digest',
    'mix phx.server',
    4000,
  ),
  image('denoland/saaskit', 8000),
  server('denoland/saaskit!', 'deno fresh deno', 'deno task build', 'deno run -A main.ts', 8000),
  server('denoland/showcase_chat', 'deno fresh deno', '', 'deno run -A main.ts', 8000),
  image('gothinkster/aspnetcore-realworld-example-app', 8080),
  server(
    'gothinkster/aspnetcore-realworld-example-app!',
    'dotnet aspnet nuget',
    publish('src/Conduit', 'Conduit'),
    aspnet('src/Conduit', 'Conduit'),
    8080,
  ),
  server(
    'heroku/dotnet-getting-started',
    'dotnet aspnet nuget',
    publish('Frontend', 'Frontend'),
    'cd Frontend/bin/publish/; ./Frontend --urls http://*:$PORT',
    8080,
  ),
  refused('dotnet-architecture/eShopOnWeb', /src\/Web/),
  server(
    'dotnet-architecture/eShopOnWeb:src/Web!',
    'dotnet aspnet nuget',
    publish('src/Web', 'Web'),
    aspnet('src/Web', 'Web'),
    8080,
  ),
  pages('gohugoio/hugoDocs', 'static hugo npm', 'hugo --gc --minify', 'public'),
  refused('iv-org/invidious', /Crystal/),
];

export const selfHosted: readonly Expected[] = [
  image('C4illin/ConvertX', 3000),
  server('C4illin/ConvertX!', 'node elysia bun', 'bun run build', 'bun run src/index.tsx', 3000),
  image('filebrowser/filebrowser', 80),
  server(
    'filebrowser/filebrowser!',
    'go - go',
    `(cd frontend && pnpm run build) && ${goBuild('.')}`,
    'bin/app --address 0.0.0.0 --port $PORT',
    8080,
  ),
  image('go-shiori/shiori', 8080),
  server('go-shiori/shiori!', 'go - go', goBuild('.'), 'bin/app server -p $PORT', 8080),
  refused('gofiber/recipes', /hello-world/),
  server('gofiber/recipes:hello-world', 'go fiber go', goBuild('.'), 'bin/app', 3000),
  image('orhun/rustypaste', 8000),
  server('orhun/rustypaste!', 'rust actix cargo', cargoBuild('rustypaste'), 'bin/app', 8000),
  refused('LemmyNet/lemmy', /crates\/server/),
  server(
    'LemmyNet/lemmy:crates/server',
    'rust actix cargo',
    cargoBuild('lemmy_server', ' --package lemmy_server'),
    'bin/app',
    8536,
  ),
  image('benbusby/whoogle-search', 5000),
  server('benbusby/whoogle-search!', 'python flask pip', '', gunicorn('app:app'), 8000),
  server('searxng/searxng', 'python flask pip', '', gunicorn('searx.webapp:app'), 8000),
  image('TandoorRecipes/recipes', 80),
  server(
    'TandoorRecipes/recipes!',
    'python django pip',
    '(cd vue3 && yarn run build) && python manage.py collectstatic --noinput',
    gunicorn('recipes.wsgi'),
    8000,
  ),
  image('rafsaf/minimal-fastapi-postgres-template', 8000),
  server(
    'rafsaf/minimal-fastapi-postgres-template!',
    'python fastapi uv',
    '',
    'uvicorn app.main:app --host 0.0.0.0 --port $PORT',
    8000,
  ),
  image('CorentinTh/it-tools', 80),
  pages('CorentinTh/it-tools!', 'node vite pnpm@9.11.0', 'pnpm run build', 'dist', '18.18.2'),
  pages('saicaca/fuwari', 'node astro pnpm@9.14.4', 'pnpm run build', 'dist'),
  image('outline/outline', 3000),
  server(
    'outline/outline!',
    'node koa yarn@4.11.0',
    'yarn run build',
    'yarn start --services=web,websockets,collaboration',
    3000,
    '26',
  ),
  image('ghostfolio/ghostfolio', 3333),
  server('ghostfolio/ghostfolio!', 'node nest npm', 'npm run build:production', 'npm run start', 3333, '22'),
  refused('makeplane/plane', /apps\/web/),
  pages(
    'makeplane/plane:apps/web',
    'node react-router pnpm@10.32.1',
    'pnpm exec turbo run build --filter=web',
    'apps/web/build/client',
  ),
  server(
    'makeplane/plane:apps/api',
    'python django pip',
    'python manage.py collectstatic --noinput',
    gunicorn('plane.wsgi'),
    8000,
  ),
  image('bluesky-social/pds', 3000),
  server('bluesky-social/pds!', 'node - pnpm@8.15.9', '', 'node index.js', 3000),
  image('halo-dev/halo', 8090),
  server(
    'halo-dev/halo!',
    'java spring-boot gradle',
    './gradlew :application:bootJar',
    'java -Dserver.port=$PORT -jar application/build/libs/*.jar',
    8090,
  ),
  refused('quarkusio/quarkus-super-heroes', /rest-heroes/),
  server(
    'quarkusio/quarkus-super-heroes:rest-heroes',
    'java quarkus maven',
    './mvnw -B -DskipTests -pl rest-heroes -am package',
    'java -Dquarkus.http.host=0.0.0.0 -Dquarkus.http.port=$PORT -jar rest-heroes/target/quarkus-app/quarkus-run.jar',
    8083,
  ),
  refused('ktorio/ktor-samples', /httpbin/),
  server(
    'ktorio/ktor-samples:httpbin',
    'java ktor gradle',
    './gradlew buildFatJar',
    'java -jar build/libs/*-all.jar',
    8080,
  ),
];
