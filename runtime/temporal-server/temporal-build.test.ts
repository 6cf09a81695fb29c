import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TemporalSearch } from '../../test/images/temporal-search.ts';
import { temporalVersion } from '../supervisor/versions.ts';

const nobody = 'http://127.0.0.1:1';
let search: TemporalSearch;

beforeEach(() => {
  search = new TemporalSearch();
});
afterEach(() => search.close());

/** A Go that is young enough, and does this for `list` and for `build`. */
function installGo(list: string, build: string): Record<string, string> {
  const tools = join(search.directory, 'tools');
  mkdirSync(tools);
  const script = `#!/bin/sh
case "$1" in
  env) echo go1.99.0 ;;
  list) ${list} ;;
  build) ${build} ;;
esac
`;
  writeFileSync(join(tools, 'go'), script, { mode: 0o755 });
  return { PATH: `${tools}:/usr/bin:/bin`, HTTPS_PROXY: nobody };
}

test('without the release, Go builds both programs in one go, and no line sounds like trouble', async () => {
  const build = `
    echo build >> ${join(search.directory, 'builds')}
    printf 'a/b\\nc/d\\n' >&2
    while [ "$1" != -o ]; do shift; done
    for name in server sql; do printf '#!/bin/sh\\necho temporal version ${temporalVersion}\\n' > "$2/$name"; done`;
  const { server, sqlTool } = await search.find({ env: installGo("printf 'a/b\\nc/d\\ne/f\\ng/h\\n'", build) });
  expect(existsSync(server) && existsSync(sqlTool)).toBe(true);
  expect(readFileSync(join(search.directory, 'builds'), 'utf8')).toBe('build\n');
  expect(search.said).toContain('building the Temporal server, 50 % (2 of 4 packages)');
  expect(search.said.join('\n')).toContain('it is built from source with Go');
  expect(search.said.join('\n')).not.toMatch(/error|fail|ended with code/i);
});

test.each([
  ['does not get the source', 'printf "go: proxy.example.com: no such host\\n" >&2; exit 1', 'exit 0', 'no such host'],
  ['does not compile it', 'echo a/b', 'printf "a/b\\nb/c: no space left on device\\n" >&2; exit 1', 'no space left'],
])(
  'a Go that %s: one sentence names what it said, the log of all that, and what helps',
  async (_, list, build, said) => {
    const log = join(search.directory, 'build.log');
    const message = await search.find({ env: installGo(list, build) }).catch((error: Error) => error.message);
    expect(message).toMatch(
      /^The Temporal server could not be built from source: Go said "[^\n]+" \(all of it: [^\n]+\.$/,
    );
    for (const part of [said, log, 'start again', 'TEMPORAL_ARCHIVE', 'TEMPORAL_SERVER'])
      expect(message).toContain(part);
    expect(readFileSync(log, 'utf8')).toContain(said);
    expect(search.kept()).toEqual([]);
  },
);

test('while Go fetches the source, the number of modules grows', async () => {
  const list = 'printf "go: downloading a v1\\ngo: downloading b v1\\n" >&2; echo a/b';
  await search.find({ env: installGo(list, 'echo "no compiler" >&2; exit 1') }).catch(() => undefined);
  expect(search.said).toContain('fetching the source of the Temporal server (2 modules)');
});

test('without release and Go one sentence says what helps', async () => {
  await expect(search.find({ env: { HTTPS_PROXY: nobody } })).rejects.toThrow(
    /^There is no Temporal server .+ its release cannot be used \(github\.com: nobody listens there\) and there is no Go .+ Set TEMPORAL_ARCHIVE .+TEMPORAL_SERVER .+install Go /,
  );
  expect(search.kept()).toEqual([]);
});
