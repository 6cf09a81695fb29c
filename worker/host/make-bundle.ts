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
process.stdout.write(withoutSources(code));

/**
 * The map of a bundle leads a stack to its lines in our files, and carries copies of these besides: 700 kB, which the worker and its
 * thread of workflows would hold several times.
 */
function withoutSources(bundle: string): string {
  const [, head = '', encoded = ''] = /^(.*\n\/\/# sourceMappingURL=data:[^,]*;base64,)(\S+)\s*$/s.exec(bundle) ?? [];
  const { sourcesContent: _, ...map } = JSON.parse(Buffer.from(encoded, 'base64').toString());
  return head + Buffer.from(JSON.stringify(map)).toString('base64');
}
