/**
 * An agent that opens its sandbox and runs one command in it, for tests that kill it or run it as somebody else:
 * build-agent.ts HOME SOURCE CACHE COMMAND. Says what it found, what the command says, and how it ended.
 */
import { openSandbox, runSandboxed } from '../../agent/builders/sandbox/sandbox.ts';
import { enough } from './build-ground.ts';

const [, , home = '', directory = '', cache = '', command = ''] = process.argv;
const found = await openSandbox({ home, outbound: { allowedRanges: [] } });
if ('why' in found) {
  console.log(found.why);
} else {
  const { heldBy, user = 'its own' } = found.sandbox;
  console.log(`held by ${heldBy}, user ${user}`);
  const end = await runSandboxed(found.sandbox, {
    ...{ command, directory, workdir: '', caches: [{ name: 'npm', directory: cache }], tools: [], environment: {} },
    ...{ limits: enough, signal: new AbortController().signal },
    output: (_, bytes) => process.stdout.write(bytes),
  });
  console.log(JSON.stringify(end));
}
