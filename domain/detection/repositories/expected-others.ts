import { type Expected, image, refused, server } from './expectation.ts';

const uvicorn = (app: string): string => `uvicorn ${app} --host 0.0.0.0 --port $PORT`;
const gunicorn = (app: string): string => `gunicorn ${app} --bind 0.0.0.0:$PORT`;
const collect = 'python manage.py collectstatic --noinput';

export const python: readonly Expected[] = [
  server(
    'heroku/python-getting-started',
    'python django pip',
    collect,
    'gunicorn --config gunicorn.conf.py gettingstarted.wsgi',
    8000,
  ),
  image('miguelgrinberg/microblog', 5000),
  server(
    'miguelgrinberg/microblog!',
    'python flask pip',
    '',
    'flask db upgrade; flask translate compile; gunicorn microblog:app',
    8000,
  ),
  image('nsidnev/fastapi-realworld-example-app', 8000),
  server('nsidnev/fastapi-realworld-example-app!', 'python fastapi poetry', '', uvicorn('app.main:app'), 8000),
  server('gothinkster/django-realworld-example-app', 'python django pip', '', gunicorn('conduit.wsgi'), 8000),
  server(
    'gothinkster/flask-realworld-example-app',
    'python flask pip',
    '',
    'gunicorn autoapp:app -b 0.0.0.0:$PORT -w 3',
    8000,
  ),
  server('healthchecks/healthchecks', 'python django pip', collect, gunicorn('hc.wsgi'), 8000),
  image('wagtail/bakerydemo', 8000),
  image('astral-sh/uv-docker-example', 8000),
  server('astral-sh/uv-docker-example!', 'python fastapi uv', '', uvicorn('uv_docker_example:app'), 8000),
  server('sissbruecker/linkding', 'python django uv', 'npm run build', gunicorn('bookmarks.wsgi'), 8000),
  server('render-examples/fastapi', 'python fastapi pip', '', uvicorn('main:app'), 8000),
  server('render-examples/flask-hello-world', 'python flask pip', '', gunicorn('app:app'), 8000),
  server('zhanymkanov/fastapi_production_template', 'python fastapi poetry', '', uvicorn('src.main:app'), 8000),
  server(
    'netbox-community/netbox',
    'python django pip',
    '',
    'gunicorn --chdir netbox netbox.wsgi --bind 0.0.0.0:$PORT',
    8000,
  ),
  server(
    'streamlit/streamlit-example',
    'python streamlit pip',
    '',
    'streamlit run streamlit_app.py --server.address 0.0.0.0 --server.port $PORT',
    8501,
  ),
  image('saleor/saleor', 8000),
];

const goBuild = (folder: string): string => `go build -trimpath -o bin/app ${folder}`;
const cargoBuild = (name: string, more = ''): string =>
  `cargo build --release --locked${more} && mkdir -p bin && cp target/release/${name} bin/app`;

export const compiled: readonly Expected[] = [
  image('heroku/go-getting-started', 8080),
  server('heroku/go-getting-started!', 'go gin go', goBuild('.'), 'bin/app', 8080),
  server('gothinkster/golang-gin-realworld-example-app', 'go gin go', goBuild('.'), 'bin/app', 8080),
  server('miniflux/v2', 'go - go', goBuild('.'), 'bin/app', 8080),
  server('usememos/memos', 'go echo go', goBuild('./cmd/memos'), 'bin/app', 8081),
  server('gotify/server', 'go gin go', `cd ui && yarn && yarn build && cd .. && ${goBuild('.')}`, 'bin/app', 80),
  image('traefik/whoami', 80),
  server('traefik/whoami!', 'go - go', goBuild('.'), 'bin/app', 80),
  server('stefanprodan/podinfo!', 'go - go', goBuild('./cmd/podinfo'), 'bin/app', 9898),
  server('adnanh/webhook', 'go chi go', goBuild('.'), 'bin/app', 9000),
  server('benbjohnson/wtf', 'go - go', goBuild('./cmd/wtfd'), 'bin/app', 8080),
  image('schollz/rwtxt', 8152),
  server('schollz/rwtxt!', 'go - go', goBuild('./cmd/rwtxt'), 'bin/app', 8152),
  refused('gin-gonic/examples', /basic/),
  server('gin-gonic/examples:basic', 'go gin go', goBuild('./basic'), 'bin/app', 8080),
  server('gin-gonic/examples:new_relic', 'go gin go', goBuild('.'), 'bin/app', 8080),
  image('xesina/golang-echo-realworld-example-app', 8585),
  server('xesina/golang-echo-realworld-example-app!', 'go echo go', goBuild('.'), 'bin/app', 8585),
  image('umputun/remark42', 8080),
  server('umputun/remark42:backend', 'go - go', goBuild('./app'), 'bin/app', 8080),
  refused('pocketbase/pocketbase', /main/),
  server('svenstaro/miniserve', 'rust actix cargo', cargoBuild('miniserve'), 'bin/app', 8080),
  server('launchbadge/realworld-axum-sqlx', 'rust axum cargo', cargoBuild('realworld-axum-sqlx'), 'bin/app', 8080),
  server('LukeMathWalker/zero-to-production!', 'rust actix cargo', cargoBuild('zero2prod'), 'bin/app', 8000),
  image('dani-garcia/vaultwarden', 80),
  refused('actix/examples', /basics\/hello-world/),
  server(
    'actix/examples:basics/hello-world',
    'rust actix cargo',
    cargoBuild('hello-world', ' --package hello-world'),
    'bin/app',
    8080,
  ),
  server(
    'TatriX/realworld-rust-rocket',
    'rust rocket cargo',
    cargoBuild('realworld'),
    'ROCKET_PORT=$PORT bin/app',
    8000,
  ),
  server('static-web-server/static-web-server', 'rust hyper cargo', cargoBuild('static-web-server'), 'bin/app', 80),
  refused('rust-lang/docs.rs', /docs_rs_web/),
  server(
    'rust-lang/docs.rs:crates/bin/docs_rs_web',
    'rust axum cargo',
    cargoBuild('docs_rs_web', ' --package docs_rs_web'),
    'bin/app',
    3000,
  ),
  server('tokio-rs/mini-redis', 'rust - cargo', cargoBuild('mini-redis-server'), 'bin/app', 6379),
];

const mvn = './mvnw -B -DskipTests package';
const jar = (folder: string): string => `java -Dserver.port=$PORT -jar ${folder}/*.jar`;

export const java: readonly Expected[] = [
  server('spring-projects/spring-petclinic', 'java spring-boot maven', mvn, jar('target'), 8080),
  server(
    'gothinkster/spring-boot-realworld-example-app',
    'java spring-boot gradle',
    './gradlew bootJar',
    jar('build/libs'),
    8080,
  ),
  server(
    'heroku/java-getting-started',
    'java spring-boot maven',
    mvn,
    'java -jar target/java-getting-started-1.0.0-SNAPSHOT.jar',
    8080,
  ),
  server(
    'heroku/gradle-getting-started',
    'java spring-boot gradle',
    './gradlew bootJar',
    'java -jar build/libs/java-getting-started-gradle-1.0.0-SNAPSHOT.jar',
    8080,
  ),
  refused('spring-guides/gs-spring-boot', /complete/),
  server('spring-guides/gs-spring-boot:complete', 'java spring-boot maven', mvn, jar('target'), 8080),
  server(
    'jhipster/jhipster-sample-app',
    'java spring-boot maven',
    './mvnw -B -Pprod -DskipTests package',
    jar('target'),
    8080,
  ),
  server(
    'quarkusio/todo-demo-app',
    'java quarkus maven',
    'mvn -B -DskipTests package',
    'java -Dquarkus.http.host=0.0.0.0 -Dquarkus.http.port=$PORT -jar target/quarkus-app/quarkus-run.jar',
    8080,
  ),
  image('spring-petclinic/spring-petclinic-kotlin', 8080),
  server(
    'spring-petclinic/spring-petclinic-kotlin!',
    'java spring-boot gradle',
    './gradlew bootJar',
    jar('build/libs'),
    8080,
  ),
  refused('spring-petclinic/spring-petclinic-microservices', /vets-service/),
  server(
    'spring-petclinic/spring-petclinic-microservices:spring-petclinic-vets-service',
    'java spring-boot maven',
    './mvnw -B -DskipTests -pl spring-petclinic-vets-service -am package',
    jar('spring-petclinic-vets-service/target'),
    8080,
  ),
];

export const others: readonly Expected[] = [
  image('crccheck/docker-hello-world', 8000),
  image('hexpm/hexpm', 4000),
  image('maybe-finance/maybe', 3000),
  server(
    'heroku/ruby-getting-started',
    'ruby rails bundler',
    'bundle exec rails assets:precompile',
    'bundle exec puma -C config/puma.rb',
    3000,
  ),
  server(
    'heroku/php-getting-started',
    'php slim composer',
    '',
    'frankenphp php-server --root web --listen :$PORT',
    8080,
  ),
];
