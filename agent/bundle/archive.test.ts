import { expect, test } from 'vitest';
import { once } from './archive.ts';

const file = (name: string, text: string) => ({ name, bytes: Buffer.from(text), executable: false });

test('a chunk that two programs share stands in the bundle once, and different files of one name are refused', () => {
  const [agent, chunk] = [file('agent.mjs', 'a'), file('chunk-1.mjs', 'c')];
  expect(once([agent, chunk, file('chunk-1.mjs', 'c')])).toEqual([agent, chunk]);
  expect(() => once([agent, file('agent.mjs', 'b')])).toThrow('Two files of the bundle are called agent.mjs');
});
