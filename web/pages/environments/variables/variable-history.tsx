import { buildTimeTitles } from '../../../../domain/variables/build-time.ts';
import { Diff, type DiffLine } from '../../../components/diff/diff.tsx';
import { Card } from '../../../components/page.tsx';
import { EmptyState, LoadedPages } from '../../../components/states.tsx';
import { Time } from '../../../components/times/time.tsx';
import { usePages } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { Answers } from '../../../control-plane/session.ts';
import { valueText } from '../staged/item-lines.ts';
import type { Whose } from './whose.ts';

type Change = Answers['variables']['history']['items'][number];

interface VariableHistoryProps extends Whose {
  variable: string;
}

/** Who changed a variable, from what to what, newest first. */
export function VariableHistory({ environmentId, serviceId, variable }: VariableHistoryProps) {
  const { trpc } = usePlane();
  const pages = usePages(trpc.variables.history, {
    path: { id: environmentId },
    query: { ...(serviceId === undefined ? {} : { serviceId }), key: variable, limit: 20 },
  });
  const empty = (
    <EmptyState title="Never applied">{variable} was staged, and no deployment has applied it yet.</EmptyState>
  );
  return (
    <LoadedPages pages={pages} empty={empty}>
      {(changes) => (
        <Card>
          <Diff label={`Changes of ${variable}`} lines={changes.map(lineOf)} />
        </Card>
      )}
    </LoadedPages>
  );
}

function lineOf({
  id,
  change,
  from,
  to,
  secret,
  buildTime,
  stagedBy,
  appliedBy,
  appliedAt,
  message,
}: Change): DiffLine {
  const before = valueText(from);
  return {
    id,
    title: <Time at={appliedAt} />,
    ...(before === undefined ? {} : { from: before }),
    ...(change === 'unset' ? {} : { to: valueText(to) ?? '' }),
    ...(change === 'unset' && secret ? { note: 'Unset; the value was secret' } : { secret }),
    about: (
      <>
        {stagedBy.name === appliedBy.name
          ? `By ${appliedBy.name}`
          : `Staged by ${stagedBy.name}, applied by ${appliedBy.name}`}
        {message !== '' && `: ${message}`}
        {buildTime !== '' && buildTime !== 'no' && ` (${buildTimeTitles[buildTime].toLowerCase()})`}
      </>
    ),
  };
}
