import { createRequire } from 'node:module';
import { join } from 'node:path';
import { bundleWorkflowCode, type Logger } from '@temporalio/worker';
import { failureConverterPath } from '../../temporal/connection/codec.ts';
import { workflowEntry, workflowsFolder } from './workflow-entry.ts';

const require = createRequire(import.meta.url);

const nothing = () => undefined;
const say = (message: string) => void process.stderr.write(`${message}\n`);
const log: Logger = { log: nothing, trace: nothing, debug: nothing, info: nothing, warn: say, error: say };
const entry = `data:text/javascript,${encodeURIComponent(workflowEntry())}`;

/** Prints the workflows as one script. The arguments are packages with further interceptors. */
const { code } = await bundleWorkflowCode({
  workflowsPath: workflowsFolder,
  workflowInterceptorModules: [
    join(workflowsFolder, 'interceptors.ts'),
    ...process.argv.slice(2).map((name) => require.resolve(name)),
  ],
  failureConverterPath,
  logger: log,
  webpackConfigHook: (config) => ({
    ...config,
    plugins: [
      ...(config.plugins ?? []),
      (compiler) =>
        compiler.hooks.normalModuleFactory.tap('workflows', ({ hooks }) =>
          hooks.beforeResolve.tap('workflows', (wanted) => {
            if (wanted.request === workflowsFolder) wanted.request = entry;
          }),
        ),
    ],
  }),
});
process.stdout.write(code);
