const units = [
  { name: 'd', milliseconds: 86_400_000 },
  { name: 'h', milliseconds: 3_600_000 },
  { name: 'min', milliseconds: 60_000 },
  { name: 's', milliseconds: 1_000 },
] as const;

/** A duration for people, in at most two units: `1 min 30 s`, `7 d`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1_000) return 'less than a second';
  let rest = Math.round(milliseconds / 1_000) * 1_000;
  const parts: string[] = [];
  for (const { name, milliseconds: unit } of units) {
    const count = Math.floor(rest / unit);
    if (count === 0 && parts.length === 0) continue;
    rest -= count * unit;
    if (count > 0) parts.push(`${count} ${name}`);
    if (parts.length === 2 || rest === 0) break;
  }
  return parts.join(' ');
}

/** A time in UTC, the same for every reader. */
export function moment(iso: string): string {
  const at = new Date(iso);
  return Number.isNaN(at.getTime()) ? iso : `${at.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}

/** The version in the name of a release of the agent: `ballast-agent:0.2.0-0123456789ab` is `0.2.0`. */
export function release(image: string): string {
  return /:(.+)-[0-9a-f]{12}$/.exec(image)?.[1] ?? (image || 'an unknown release');
}

/** The innermost reason of a failure, in one line. */
export function failureText(failure: unknown): string {
  let message = '';
  for (
    let inner = failure;
    typeof inner === 'object' && inner !== null;
    inner = 'cause' in inner ? inner.cause : null
  ) {
    const timeout = 'timeout' in inner && typeof inner.timeout === 'string' ? timeouts[inner.timeout] : undefined;
    if (timeout !== undefined) message = timeout;
    else if ('message' in inner && typeof inner.message === 'string' && inner.message !== '') message = inner.message;
  }
  const line = message.replaceAll(/\s+/g, ' ').trim();
  return line.length > longest ? `${line.slice(0, longest)}…` : line;
}

const longest = 500;
const timeouts: Readonly<Record<string, string>> = {
  START_TO_CLOSE: 'The step exceeded its time limit; its worker may have stopped.',
  SCHEDULE_TO_START: 'No worker picked up the step in time.',
  SCHEDULE_TO_CLOSE: 'The step did not finish in time.',
  HEARTBEAT: 'The worker of this step stopped sending heartbeats.',
};
