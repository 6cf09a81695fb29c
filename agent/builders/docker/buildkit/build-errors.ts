import { Refusal } from '../../../program/refusal.ts';
import { InstructionFailed } from '../../step-failed.ts';
import { BuildRefused } from './control.ts';

const table: readonly (readonly [said: RegExp, advice: (found: RegExpExecArray) => string])[] = [
  [
    /"(\/[^"]*)":? not found|failed to walk \S+: lstat \S*\/([^\s/]+): no such file/i,
    ([, path, other]) =>
      `${path ?? other} is not in the context: check the path, the context of the service and .dockerignore.`,
  ],
  [
    /target stage "?([^\s"]+)"? could not be found/i,
    ([, stage]) => `The Dockerfile has no stage ${stage}: change the target of the service.`,
  ],
  [/no space left on device/i, () => 'The disk of the cluster is full: free space on its machine, then retry.'],
  [
    /(network\.host|security\.insecure|device \S+) is not allowed/i,
    ([, right]) => `Builds have no right to ${right}: take the option out of the instruction.`,
  ],
  [
    /no such host|dial tcp|i\/o timeout|connection refused|network is unreachable/i,
    () =>
      'The only way out of a build is the proxy of its agent: use http or https, and nothing of the machine itself.',
  ],
];
const metadata = /^\[internal\] load metadata for (\S+)/;

/** The error of a build in words: a command that failed, a secret that is not there, or what the engine says, with advice. */
export function explained(
  error: unknown,
  failed: { name: string; error: string; lines: readonly string[] } | undefined,
  missing: ReadonlySet<string>,
  /** Addresses that the build did not get, as the log has them. */
  network: readonly string[],
): unknown {
  const [secret] = missing;
  if (secret !== undefined)
    return new Refusal(
      `The Dockerfile mounts the secret ${JSON.stringify(secret)}, which the service does not have: add a secret variable of that name.`,
    );
  if (!(error instanceof BuildRefused)) return error;
  const said = failed === undefined ? error.message : `${failed.error}`;
  const code = /exit code: (\d+)/.exec(said)?.[1];
  if (failed !== undefined && code !== undefined)
    return new InstructionFailed(failed.name, { ended: 'exited', code: Number(code) }, [...failed.lines, ...network]);
  const text = plainOf(said);
  const sentences = network.map((line) => line.replace(/^\w+: /, ''));
  const image = metadata.exec(failed?.name ?? '')?.[1];
  if (image !== undefined)
    return new Refusal(
      `The image ${image} cannot be had: check its name, and that the cluster reaches its registry. It said: ${[text, ...sentences].join('. ')}`,
    );
  const [advice] = table.flatMap(([pattern, adviceFor]) => {
    const found = pattern.exec(said);
    return found === null ? [] : [adviceFor(found)];
  });
  const at = failed === undefined ? '' : `${failed.name}: `;
  const why = advice ?? sentences[0];
  return new Refusal(`${at}${text}${why === undefined ? '' : `${/[.!?]$/.test(text) ? '' : '.'} ${why}`}`);
}

/** Without the names of the engine's own parts. */
function plainOf(text: string): string {
  return text
    .replace(
      /^(?:failed to solve(?: with frontend \S+)?: |failed to (?:read dockerfile|create LLB definition|build LLB): |rpc error: code = \w+ desc = )+/,
      '',
    )
    .trim();
}
