import type { ReactNode } from 'react';
import type { ShownProblem } from '../control-plane/problem.ts';
import { Copyable } from './copyable.tsx';
import { classes, type Tone } from './style.ts';
import { WithTimes, withTimes } from './times/with-times.tsx';

const tones: Record<Tone, string> = {
  neutral: 'border-line bg-ground text-text',
  good: 'border-transparent bg-good-ground text-good',
  attention: 'border-attention-line bg-attention-ground text-attention',
  fault: 'border-fault-line bg-fault-ground text-fault',
  live: 'border-transparent bg-live-ground text-live',
};

/** A message above the content it is about. */
export function Notice({
  tone = 'neutral',
  title,
  children,
}: {
  tone?: Tone;
  title?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div
      role={tone === 'fault' ? 'alert' : undefined}
      className={classes('text-pretty rounded-lg border px-3.5 py-2.5 text-sm', tones[tone])}
    >
      {title !== undefined && <p className="font-medium">{title}</p>}
      {withTimes(children)}
    </div>
  );
}

/**
 * The problem of a rejected form, unless its own fields show all of it. `fields`: the places that fields show
 * themselves.
 */
export function ProblemNotice({
  problem,
  fields = [],
}: {
  problem: ShownProblem | undefined;
  fields?: readonly string[];
}) {
  // The form itself asks whose change lasts.
  if (problem === undefined || problem.meanwhile !== undefined) return null;
  const places = Object.keys(problem.fields);
  if (places.length > 0 && places.every((place) => fields.includes(place))) return null;
  return (
    <Notice tone="fault">
      <WithTimes text={problem.detail} />
      {places
        .filter((place) => !fields.includes(place))
        .map((place) => (
          <p key={place}>
            <code>{place}</code> {problem.fields[place]}
          </p>
        ))}
      {problem.requestId !== undefined && (
        <p className="mt-1 text-xs">
          Request <Copyable text={problem.requestId} label="request id" />
        </p>
      )}
    </Notice>
  );
}
