import { expect, test } from 'vitest';
import { strayWords } from './words.ts';

const found = (file: string, text: string) => strayWords(new Map([[file, text]]));

test('a phrase of the right column is found with its line, and the word to write', () => {
  expect(found('docs/clusters.md', 'A cluster.\n\nIt is degraded when something is not as it\nshall be.\n')).toEqual([
    'docs/clusters.md:3 says "as it shall be" to users; the glossary has: healthy, degraded.',
  ]);
});

test('strings and the text of pages are searched', () => {
  expect(found('api/workflows/list.ts', "const summary = 'Lists what goes on behind the scenes';")).toHaveLength(1);
  expect(found('cli/x.ts', 'throw new Error(`The home $' + '{home} is gone.`);')).toHaveLength(1);
  expect(found('web/pages/home/x.tsx', '<Button onClick={() => close()}>\n  Put away\n</Button>')).toHaveLength(1);
  expect(found('workflows/cluster/words.ts', "const lost = 'Nothing was heard of the agent.';")).toHaveLength(1);
});

test('comments, names, calls and code in documents are not', () => {
  expect(
    found('agent/x.ts', "// The slice is gone.\n/** Nothing is heard. */\nconst slice = all.slice(1, 'a');"),
  ).toEqual([]);
  expect(found('api/x.ts', 'const text = `$' + '{id.slice(0, 8)} is unknown`;\nmap.get("slice");')).toEqual([]);
  expect(
    found('db/x.ts', "sql<number>`select slice.key from slice where true`; join('cluster_slice as slice')"),
  ).toEqual([]);
  expect(found('web/x.tsx', '<ul>{items.slice(0, 8).map((slice) => <li>{slice}</li>)}</ul>')).toEqual([]);
  expect(found('docs/clusters.md', 'The field `slices` of\n\n```json\n{ "slice": "is gone" }\n```\n')).toEqual([]);
});

test('tests may say anything, and the protocol calls its fields by their names', () => {
  expect(found('api/x.test.ts', "test('a slice is gone', run);")).toEqual([]);
  expect(found('docs/agent-protocol.md', 'A slice has a key.')).toEqual([]);
});
