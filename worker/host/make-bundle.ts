import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';
import { failureConverterPath } from '../../temporal/connection/codec.ts';

const checkout = fileURLToPath(new URL('../..', import.meta.url));
const require = createRequire(import.meta.url);

const nothing = () => undefined;
const say = (message: string) => void process.stderr.write(`${message}\n`);
const log: Logger = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: say, error: say };

/** Prints the workflows as one script. The arguments are packages with further interceptors. */
const { code } = await bundleWorkflowCode({
  workflowsPath: join(checkout, 'workflows', 'index.ts'),
  workflowInterceptorModules: [
    join(checkout, 'workflows', 'interceptors.ts'),
    ...process.argv.slice(2).map((name) => require.resolve(name)),
  ],
  failureConverterPath,
  logger: log,
});
process.stdout.write(code);
