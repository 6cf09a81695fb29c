import { expect, test } from 'vitest';
import { treeOf } from '../../test/kinds/tree-of.ts';
import { detect, withoutDockerfiles } from './detect.ts';

const json = (value: unknown): string => JSON.stringify(value);
const started = json({ scripts: { start: 'node server.js', build: 'tsc' } });

test('a source of a million files is read once, whatever is looked for in it', () => {
  const paths = Array.from({ length: 1_000_000 }, (_, at) => `src/${at % 1000}/${at}.txt`);
  let asked = 0;
  const found = detect({
    paths: [...paths, 'package.json'],
    text: (path) => {
      asked += 1;
      return path === 'package.json' ? started : '';
    },
  });
  expect(found.detected).toMatchObject({ provider: 'node', startCommand: 'npm run start' });
  expect(asked).toBeLessThan(200);
});

test('a thousand manifests cost a look at a bounded number of folders', () => {
  const files = Object.fromEntries(
    Array.from({ length: 5_000 }, (_, at) => [
      `apps/${at}/package.json`,
      json({ name: `app-${at}`, scripts: { start: 'node .' } }),
    ]),
  );
  const { detected, message } = detect(treeOf({ ...files, 'package.json': json({ workspaces: ['apps/*'] }) }));
  expect(detected.buildable).toBe(false);
  expect(message).toMatch(
    /^The source has 200 applications: choose one as the context \(--context DIR\): (?:apps\/\d+, ){11}apps\/\d+ and 188 more\.$/,
  );
});

test('names with line ends, quotes and orders to a shell stay names', () => {
  const folder = "a\n; touch '$(x)'";
  const source = treeOf({
    'package.json': json({ workspaces: ['*'] }),
    [`${folder}/package.json`]: json({
      name: '`x`; y',
      scripts: { start: 'node .', build: 'tsc' },
      dependencies: { express: '5' },
    }),
    'b/package.json': json({ scripts: { start: 'node .' } }),
  });
  expect(detect(source).message).toBe(
    "The source has 2 applications: choose one as the context (--context DIR): a?; touch '$(x)', b.",
  );
  const { plan, detected } = detect(source, folder);
  const quoted = `'a\n; touch '\\''$(x)'\\'''`;
  expect(plan?.steps[1]?.command).toBe(`npm run build --workspace ${quoted}`);
  expect(detected.startCommand).toBe(`npm run start --workspace ${quoted}`);
  expect(plan).toMatchObject({ start: 'npm run start', startIn: folder });
});

test.each([
  ['../other', /"\.\."/],
  ['/etc', /"\/" at its beginning/],
  ['a/../../b', /"\.\."/],
  ['nowhere', /no folder nowhere/],
  ['package.json', /no folder package\.json/],
])('the context %s is refused with what to do', (context, message) => {
  const found = detect(treeOf({ 'package.json': started }), context);
  expect(found.message).toMatch(message);
  expect([found.plan, found.detected.buildable]).toEqual([undefined, false]);
});

test('a context is a folder however it is written, and packages of others are nobody’s application', () => {
  const source = treeOf({
    'shop/web/package.json': started,
    'shop/node_modules/x/package.json': started,
    'vendor/a/go.mod': '',
  });
  expect(detect(source, './shop//web/').plan?.directory).toBe('shop/web');
  const only = detect(source);
  expect(only.plan?.directory).toBe('shop/web');
  expect(only.detected).toMatchObject({ monorepo: true, buildable: true });
});

test.each([
  ['FROM node:24\nEXPOSE 80 443/tcp\nCMD node .', 80, 'dockerfile'],
  ['FROM node:24\nENV PORT=4000', 4000, 'dockerfile'],
  ['FROM a\nCMD ["uvicorn", "a:b", "--port", "9000"]', 9000, 'dockerfile'],
  ['FROM node AS build\nFROM nginx:1', 80, 'default'],
  ['FROM a\nEXPOSE 9000\nFROM b\nEXPOSE 8000\nEXPOSE 9090', 8000, 'dockerfile'],
  ['ARG at=5000\nFROM a\nENV LISTEN=$at\nEXPOSE ${LISTEN}', 5000, 'dockerfile'],
  ['FROM a\nEXPOSE ${PORT:-3333}', 3333, 'dockerfile'],
  // Where it names none, that of the program beside it is usual.
  ['FROM scratch', 3000, 'default'],
  ['EXPOSE ${PORT}', 3000, 'default'],
])('a Dockerfile %j listens on %i', (text, port, portSource) => {
  const source = treeOf({ Dockerfile: text, 'package.json': started });
  expect(detect(source)).toMatchObject({
    detected: { provider: 'dockerfile', port, portSource },
    plan: { provider: 'dockerfile', steps: [] },
  });
  expect(detect(withoutDockerfiles(source)).detected.provider).toBe('node');
  expect(detect(treeOf({ Dockerfile: 'FROM scratch' })).detected.port).toBe(8080);
});

test('an empty source says what would be needed', () => {
  expect(detect({ paths: [], text: () => undefined }).message).toMatch(
    /^Nothing that can be built was found: a package\.json, /,
  );
  expect(detect(treeOf({ 'package.json': undefined })).detected.buildable).toBe(false);
});

/** A pattern that is quadratic would take minutes for one of these. */
test.each(['\n', ' ', '\t#', '[a]\n', 'a = ', '- ', '<module> '])(
  'texts of %j alone, 256 kB of it, are read in their length',
  (piece) => {
    const text = piece.repeat(Math.floor(262_144 / piece.length));
    const said = [
      'Cargo.toml',
      'Pipfile',
      'Procfile',
      'build.gradle',
      'go.mod',
      'main.go',
      'netlify.toml',
      'next.config.js',
    ];
    const more = [
      'pnpm-workspace.yaml',
      'pom.xml',
      'pyproject.toml',
      'requirements.txt',
      'settings.gradle',
      'app.py',
      '.env.example',
      '.nvmrc',
    ];
    const files = Object.fromEntries([...said, ...more, 'src/main.rs', 'server.js'].map((path) => [path, text]));
    const manifest = json({ dependencies: { express: '5' }, scripts: { start: 'node server.js' } });
    expect(detect(treeOf({ ...files, 'package.json': manifest })).detected.provider).toBe('node');
    expect(detect(treeOf({ ...files, Dockerfile: text })).detected.provider).toBe('dockerfile');
    for (const left of ['Cargo.toml', 'go.mod', 'pom.xml', 'requirements.txt']) {
      expect(typeof detect(treeOf({ ...files, [left]: undefined })).message).toBe('string');
    }
  },
);
