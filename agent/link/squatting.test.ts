import { rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { temporaryFolder, undoing } from '../../machine/test-ground.ts';
import { pathThief } from '../../test/attacks/path-thief.ts';
import { until } from '../../test/ground/until.ts';
import { Client } from './client.ts';

const undo = undoing();

/** The agent of this machine, as it asks a control plane at that socket. */
function agentAt(socket: string): Client {
  const client = new Client({ url: 'http://localhost', socket, credential: () => 'the-credential' });
  undo.push(() => client.close());
  return client;
}

// Without root the thief would be the owner of everything.
describe.runIf(process.getuid?.() === 0)(
  'a program of another user, while the API is killed and when it starts',
  () => {
    test('cannot take the socket in a closed directory, where the API comes back', async () => {
      const directory = temporaryFolder();
      const socket = join(directory, 'api.sock');
      const thief = await pathThief([socket]);
      undo.push(() => thief.end());
      const client = agentAt(socket);
      await expect(client.release()).rejects.toThrow('cannot be reached');
      for (let start = 0; start < 3; start += 1) {
        const api = createServer((_, answer) => answer.end(JSON.stringify({ rotate: false })));
        await new Promise<void>((resolve) => api.listen(socket, resolve));
        expect(await client.heartbeat({ running: [] })).toMatchObject({ rotate: false });
        api.closeAllConnections();
        await new Promise((resolve) => api.close(resolve));
        await expect(client.heartbeat({ running: [] })).rejects.toThrow('cannot be reached');
      }
      expect({ got: thief.got(), reached: thief.reached() }).toEqual({ got: [], reached: [] });
    });

    test('is told no credential at the path of a directory that a cleaner of temporary files has removed', async () => {
      const directory = temporaryFolder();
      rmSync(directory, { recursive: true });
      const socket = join(directory, 'api.sock');
      const thief = await pathThief([socket]);
      undo.push(() => thief.end());
      await until('the thief has the path', async () => thief.got().length > 0);
      const sentence = `${dirname(socket)} is not a directory that only we can enter`;
      await expect(agentAt(socket).heartbeat({ running: [] })).rejects.toThrow(sentence);
      expect(thief.heard()).toEqual([]);
    });
  },
);
