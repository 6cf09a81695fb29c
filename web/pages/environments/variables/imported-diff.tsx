import { Diff, type DiffLine } from '../../../components/diff/diff.tsx';
import { Checkbox } from '../../../components/forms/form.tsx';
import { Card } from '../../../components/page.tsx';
import { Badge } from '../../../components/status.tsx';
import type { Answers } from '../../../control-plane/session.ts';

export type Imported = Answers['variables']['import'];
type Change = Imported['changes'][number];

/** Lines beyond these are only counted: nobody reads thousands. */
const most = 200;

interface ImportedDiffProps {
  changes: readonly Change[];
  /** Keys that will be secret; those that are already need not be here. */
  secret: ReadonlySet<string>;
  onSecret: (key: string, is: boolean) => void;
  /** Keys that builds will see, too, of those whose name says so. */
  seen: ReadonlySet<string>;
  onSeen: (key: string, is: boolean) => void;
}

/** The changes of an env file, a line for each variable; those that are the same are counted. */
export function ImportedDiff({ changes, ...chosen }: ImportedDiffProps) {
  const different = changes.filter(({ change }) => change !== 'unchanged');
  const same = changes.length - different.length;
  const shown = different.slice(0, most);
  return (
    <section aria-label="What it changes" className="flex flex-col gap-2">
      <p className="text-soft text-sm">
        {countsOf(changes)}
        {different.length > most &&
          ` The first ${most} of ${different.length} changes are shown; all of them are staged.`}
        {different.length === 0 && same > 0 && ' All of it is so already.'}
      </p>
      {shown.length > 0 && (
        <Card>
          <div className="max-h-[40vh] overflow-y-auto">
            <Diff label="Changes" lines={shown.map((change) => lineOf(change, chosen))} />
          </div>
        </Card>
      )}
    </section>
  );
}

function lineOf(one: Change, { onSecret, seen, onSeen, ...chosen }: Omit<ImportedDiffProps, 'changes'>): DiffLine {
  const { key, change, secret, looksSecret, looksPublic, from, to } = one;
  const hidden = chosen.secret.has(key);
  return {
    id: key,
    title: (
      <span className="flex flex-wrap items-center gap-x-2">
        <span className="break-all font-mono">{key}</span>
        <Badge tone={change === 'removed' ? 'attention' : 'live'}>{change}</Badge>
      </span>
    ),
    from: change === 'added' ? undefined : from,
    to: change === 'removed' ? undefined : to,
    secret: secret || hidden,
    about: looksPublic
      ? 'Frameworks write such variables into pages when they build.'
      : looksSecret
        ? 'It looks like a credential.'
        : undefined,
    actions: !secret && change !== 'removed' && (
      <span className="flex flex-wrap gap-x-4">
        {looksPublic && (
          <Checkbox label="Builds see it, too" checked={seen.has(key)} onChange={(is) => onSeen(key, is)} />
        )}
        <Checkbox label="Secret" checked={hidden} onChange={(is) => onSecret(key, is)} />
      </span>
    ),
  };
}

function countsOf(changes: readonly Change[]): string {
  const words = (['added', 'changed', 'removed', 'unchanged'] as const).flatMap((kind) => {
    const count = changes.filter(({ change }) => change === kind).length;
    return count === 0 ? [] : [`${count} ${kind}`];
  });
  return `${words.join(', ')}.`;
}
