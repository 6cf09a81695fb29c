import type { ShownProblem } from '../../control-plane/problem.ts';
import { Notice } from '../notice.tsx';
import { BriefTime } from '../times/time.tsx';
import { Button } from './button.tsx';

/** Stands in a form whose answer says that others changed the same meanwhile: their change, and whose lasts. */
export function ChangedMeanwhile({
  problem,
  words,
  onKeep,
  onTake,
}: {
  problem: ShownProblem | undefined;
  /** Each field in a sentence, and its value in words: `{ name: { field: 'the name' } }`. */
  words: Readonly<Record<string, { field: string; value?: ((value: never) => string) | undefined }>>;
  /** Sends the change again, over theirs. */
  onKeep: () => void;
  /** Leaves theirs as it is. */
  onTake: () => void;
}) {
  if (problem?.meanwhile === undefined) return null;
  return (
    <Notice tone="attention" title="Changed meanwhile">
      {problem.meanwhile.map(({ field, value, by = 'Somebody', at }) => {
        const known = words[field];
        const text = known?.value === undefined ? shownValue(value) : known.value(value as never);
        return (
          <p key={field}>
            {by} changed {known?.field ?? field}
            {text !== '' && ` to ${text}`}
            {at !== undefined && (
              <>
                {' '}
                at <BriefTime at={at} />
              </>
            )}
            .
          </p>
        );
      })}
      <div className="mt-2 flex flex-wrap gap-2">
        <Button small onClick={onKeep}>
          Keep mine
        </Button>
        <Button small onClick={onTake}>
          Take theirs
        </Button>
      </div>
    </Notice>
  );
}

function shownValue(value: unknown): string {
  if (typeof value === 'string') return `“${value}”`;
  return typeof value === 'number' ? String(value) : '';
}
