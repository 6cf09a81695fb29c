import { bytesField, numberField } from '../session/messages.ts';
import type { Control } from './control.ts';
import { readTrace, type Trace } from './vertices.ts';

/** All that BuildKit is asked for one image. */
export interface Solve {
  id: string;
  session: string;
  /** Of the frontend for Dockerfiles. */
  attributes: Readonly<Record<string, string>>;
  /** Sources that stand for others. */
  instead: Readonly<Record<string, string>>;
}

const exact = 1;
const convert = 2;

/** Builds, and sends the image to the session as `docker save` writes it. Ends the work when the signal is aborted. */
export async function solve(
  control: Control,
  asked: Solve,
  told: (trace: Trace) => void,
  signal: AbortSignal,
): Promise<void> {
  const stopping = new AbortController();
  const following = follow(control, asked.id, told, AbortSignal.any([signal, stopping.signal]));
  following.catch(() => undefined);
  try {
    await control.ask('Solve', requestOf(asked), signal);
  } catch (error) {
    // The reason of a build that could not begin is told by the call alone: nobody waits for its steps.
    if (!(await begun(following))) stopping.abort();
    throw error;
  }
  await following;
}

/** The last lines of the trace say which step it was. */
async function begun(following: Promise<void>): Promise<boolean> {
  const late = new Promise<false>((resolve) => setTimeout(resolve, 2_000, false).unref());
  return await Promise.race([
    following.then(
      () => true,
      () => true,
    ),
    late,
  ]);
}

async function follow(control: Control, id: string, told: (trace: Trace) => void, signal: AbortSignal): Promise<void> {
  for await (const message of control.read('Status', textField(1, id), signal)) told(readTrace(message));
}

/** `SolveRequest`, not kept in BuildKit's own list of builds. */
function requestOf({ id, session, attributes, instead }: Solve): Buffer {
  const exporter = [textField(1, 'docker'), ...mapField(2, { compression: 'uncompressed' })];
  const rules = Object.entries(instead).map(([from, to]) => {
    const selector = [textField(1, from), numberField(2, exact)];
    const rule = [numberField(1, convert), bytesField(2, Buffer.concat(selector)), bytesField(3, textField(1, to))];
    return bytesField(2, Buffer.concat(rule));
  });
  return Buffer.concat([
    textField(1, id),
    textField(5, session),
    textField(6, 'dockerfile.v0'),
    ...mapField(7, attributes),
    numberField(11, 1),
    bytesField(12, Buffer.concat([numberField(1, 1), ...rules])),
    bytesField(13, Buffer.concat(exporter)),
  ]);
}

export function textField(field: number, text: string): Buffer {
  return bytesField(field, Buffer.from(text));
}

function mapField(field: number, map: Readonly<Record<string, string>>): Buffer[] {
  return Object.entries(map).map(([key, value]) =>
    bytesField(field, Buffer.concat([textField(1, key), textField(2, value)])),
  );
}
