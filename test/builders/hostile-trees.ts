/** A tree that a build may leave behind, made by a script that runs in its source, and what becomes of it. */
export interface HostileTree {
  what: string;
  /** Of `sh`. */
  script: string;
  /** How it is started; `npm start` where it says nothing. */
  start?: string;
  /** The sentence of its refusal; undefined: an image is made. */
  refused?: RegExp;
  /** Said of what is not in the image. */
  left?: string;
  /** Stands for its kind in `npm test`. */
  first?: boolean;
}

const noFile = /"package\.json" is no file of the image/;
const noJson = /"package\.json" is no JSON/;
const away = /is a link to ".*", which is not in the image/;

const ofPackageFile: HostileTree[] = [
  {
    first: true,
    what: 'a pipe',
    script: 'rm package.json && mkfifo package.json',
    refused: noFile,
    left: '"package.json" is a pipe',
  },
  { what: 'a folder', script: 'rm package.json && mkdir package.json', refused: noFile },
  { what: 'a link to a pipe', script: 'mkfifo p && ln -sf p package.json', refused: noFile },
  { first: true, what: 'a link to a file of the machine', script: 'ln -sf /etc/passwd package.json', refused: away },
  { what: 'a link that climbs', script: 'ln -sf ../../../../etc/passwd package.json', refused: away },
  { what: 'a link to the environment', script: 'ln -sf /proc/self/environ package.json', refused: away },
  { what: 'a link to a device without end', script: 'ln -sf /dev/zero package.json', refused: away },
  { what: 'a link to itself', script: 'rm package.json && ln -s package.json package.json' },
  {
    what: 'a chain of fifty links',
    script: 'n=0; t=package.json; while [ $n -lt 50 ]; do ln -sf l$n $t; t=l$n; n=$((n+1)); done; touch $t',
  },
  { what: 'gone', script: 'rm package.json' },
  { what: 'empty', script: ': > package.json', refused: noJson },
  { first: true, what: 'of 3 MB', script: 'head -c 3000000 /dev/zero > package.json', refused: /longer than 1 MB/ },
  {
    what: 'of 3 GB that are nowhere',
    script: 'truncate -s 3G package.json',
    refused: /more than \d+ MB|longer than 1 MB/,
  },
  { first: true, what: 'no JSON', script: 'echo TOP-SECRET > package.json', refused: noJson },
  { what: 'nothing but null', script: 'echo null > package.json', refused: noJson },
  { what: 'a number', script: 'echo 7 > package.json' },
  { what: 'a list', script: 'echo [] > package.json' },
  { what: 'with a list of scripts', script: `echo '{"scripts":["a"]}' > package.json` },
  { what: 'with scripts that are no text', script: `echo '{"scripts":{"start":{"a":1}}}' > package.json` },
  {
    what: 'with a prototype',
    script: `echo '{"scripts":{"__proto__":{"start":"x"},"constructor":"y"}}' > package.json`,
  },
  {
    what: 'with a script that calls itself',
    script: `echo '{"scripts":{"start":"npm start","prestart":"npm start"}}' > package.json`,
  },
  {
    what: 'of 100,000 brackets',
    script: `{ echo '{"scripts":'; head -c 100000 /dev/zero | tr '\\0' '['; } > package.json`,
    refused: noJson,
  },
  { what: 'that may not be read', script: 'chmod 0 package.json' },
].map((one) => ({ ...one, what: `package.json: ${one.what}` }));

const programs: HostileTree[] = [
  {
    what: 'a program of a package is a pipe',
    script: 'mkdir -p node_modules/.bin && mkfifo node_modules/.bin/x',
    start: 'x',
  },
  {
    first: true,
    what: 'a program of a package leads to a pipe',
    script: 'mkdir -p node_modules/.bin && mkfifo p && ln -s ../../p node_modules/.bin/x',
    start: 'x',
  },
  {
    what: 'a program of a package leads away',
    script: 'mkdir -p node_modules/.bin && ln -s /bin/sh node_modules/.bin/x',
    start: 'x',
    refused: away,
  },
  {
    what: 'the folder of programs leads away',
    script: 'mkdir -p node_modules && ln -s /usr/bin node_modules/.bin',
    start: 'sh',
    refused: away,
  },
  { first: true, what: 'the program itself is a pipe', script: 'mkfifo server', start: './server' },
  { what: 'the program itself is a folder', script: 'mkdir server', start: './server' },
  { what: 'the program itself leads away', script: 'ln -s /bin/sh server', start: './server', refused: away },
  { what: 'the program itself is empty', script: ': > server', start: './server' },
];

const trees: HostileTree[] = [
  { first: true, what: 'a pipe', script: 'mkdir data && mkfifo data/pipe', left: '"data/pipe" is a pipe' },
  {
    what: 'a socket',
    script: `node -e "require('net').createServer().listen('s', () => process.exit())"`,
    left: '"s" is a socket',
  },
  { what: 'a device, where one can be made', script: 'mknod d c 1 5 2>/dev/null || true' },
  {
    what: 'pipes under names that are read before a build',
    script: 'mkfifo ballast.yaml Dockerfile .dockerignore',
  },
  {
    first: true,
    what: '3 GB that are nowhere',
    script: 'truncate -s 3G big',
    refused: /The image would have more than \d+ MB, with "big" of 3072 MB/,
  },
  {
    what: '3 GB that are nowhere, in many files',
    script: 'n=0; while [ $n -lt 300 ]; do truncate -s 10M f$n; n=$((n+1)); done',
    refused: /would have more than/,
  },
  {
    what: 'one file under a thousand names',
    script: 'head -c 3000000 /dev/zero > a; n=0; while [ $n -lt 999 ]; do ln a l$n; n=$((n+1)); done',
    refused: /would have more than/,
  },
  {
    what: '3 GB that are nowhere, in a cache',
    script: 'mkdir -p node_modules/.cache && truncate -s 3G node_modules/.cache/big',
  },
  {
    first: true,
    what: 'three thousand folders in each other',
    script: `node -e "for (let at = 0; at < 3000; at++) fs.mkdirSync('d'), process.chdir('d')"`,
    refused: /path that is too long/,
  },
  {
    what: 'a thousand folders in each other',
    script: 'n=0; while [ $n -lt 1000 ]; do mkdir d && cd d; n=$((n+1)); done',
  },
  {
    first: true,
    what: 'a name that is not UTF-8',
    script: `touch "$(printf 'a\\377')"`,
    refused: /has a name that is not UTF-8/,
  },
  { what: 'a name of two lines', script: `touch "$(printf 'a\\nb')"` },
  { what: 'names that look like options', script: 'touch -- -rf --help "a b" "*" "\\\\"' },
  { what: 'a name of 255 bytes', script: `touch "$(head -c 255 /dev/zero | tr '\\0' n)"` },
  { what: 'a file that may not be read', script: 'echo x > x && chmod 0 x' },
  { what: 'a folder that may not be entered', script: 'mkdir -p x/y && touch x/y/z && chmod 0 x' },
  { what: 'a source that may not be entered', script: 'chmod 0 .' },
  { what: 'a program with rights of its owner', script: 'cp /bin/sh s && chmod 6755 s' },
  { what: 'a link to a secret of the machine', script: 'ln -s /etc/shadow x', refused: away },
  { what: 'a link that climbs out of a folder', script: 'mkdir d && ln -s ../../etc d/x', refused: away },
  { what: 'a link to the folder above', script: 'ln -s .. up', refused: away },
  { what: 'a link to all processes', script: 'ln -s /proc p', refused: away },
  { what: 'a link to the caches of builds', script: 'ln -s /cache c', refused: away },
  { what: 'a link to the tools of builds', script: 'ln -s /opt o', refused: away },
  { what: 'a link with 4,000 letters', script: `ln -s "$(head -c 4000 /dev/zero | tr '\\0' t)" x` },
  { first: true, what: 'links in a circle', script: 'ln -s b a && ln -s a b && ln -s . self' },
  { what: 'a link as a build sees it', script: 'echo x > x && ln -s /build/x y' },
  {
    what: 'a process that goes on writing',
    script: '(while :; do echo x >> grows; sleep 0.01; done) >/dev/null 2>&1 &',
  },
  { what: 'nothing at all', script: 'rm -rf ./* ./.[!.]*' },
];

export const hostileTrees: readonly HostileTree[] = [...ofPackageFile, ...programs, ...trees];
