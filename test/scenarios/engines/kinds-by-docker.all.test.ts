import { sampledKinds } from '../../kinds/kinds.ts';
import { builtByDocker, type Source, sourcesOf } from './kinds-by-docker.ts';

const greets = `require('http').createServer((q, a) => a.end(require('fs').readFileSync('words'))).listen(process.env.PORT)`;

/** An argument, a secret, and a stage that is not the last one. */
const dockerfile: Source = {
  name: 'dockerfile',
  files: {
    Dockerfile: `FROM node:24-slim AS base
WORKDIR /srv
COPY server.js .
FROM base AS web
ARG GREETING=nobody
RUN --mount=type=secret,id=TOKEN test "$(cat /run/secrets/TOKEN)" = open-sesame-123 && echo "$GREETING from a stage" > words
CMD ["node", "server.js"]
FROM web AS never
RUN exit 1
`,
    'server.js': greets,
  },
  bases: ['node'],
  more: { target: 'web' },
  secret: 'open-sesame-123',
  answers: { path: '/', includes: 'Good day from a stage' },
};

const monorepo: Source = {
  name: 'dockerfile-monorepo',
  files: {
    'services/api/deploy/Dockerfile': `FROM golang:1 AS made
WORKDIR /src
COPY . .
RUN CGO_ENABLED=0 go build -o /words ./cmd/words && /words > /words.txt
FROM node:24-slim
WORKDIR /srv
COPY --from=made /words.txt words
COPY server.js .
CMD ["node", "server.js"]
`,
    'services/api/go.mod': 'module example.com/words\n\ngo 1.21\n',
    'services/api/cmd/words/main.go':
      'package main\n\nimport "fmt"\n\nfunc main() { fmt.Println("Made by one stage for another") }\n',
    'services/api/server.js': greets,
    'services/other/Dockerfile': 'FROM nowhere.invalid/other\n',
  },
  bases: ['node', 'go'],
  context: 'services/api',
  more: { builder: 'dockerfile', dockerfile: 'deploy/Dockerfile' },
  answers: { path: '/', includes: 'Made by one stage for another' },
};

builtByDocker([dockerfile, monorepo, ...sourcesOf(sampledKinds)]);
