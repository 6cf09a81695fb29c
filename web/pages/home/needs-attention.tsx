import { CheckIcon } from '@primer/octicons-react';
import { Link } from '@tanstack/react-router';
import { OneAction } from '../../components/actions/one-action.tsx';
import { ButtonLink } from '../../components/forms/button.tsx';
import { Section } from '../../components/page.tsx';
import { LoadedPages } from '../../components/states.tsx';
import { classes, type Tone } from '../../components/style.ts';
import { WithTimes } from '../../components/times/with-times.tsx';
import { useOperation } from '../../control-plane/operation.ts';
import { usePages } from '../../control-plane/pages.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { useMembership } from '../../control-plane/session.ts';
import { deploymentLink } from '../deployments/deployment-words.ts';
import { counted } from '../instances/counted.ts';
import { type Attention, attentionWords } from './attention-words.ts';

type Loosening = NonNullable<Attention['loosening']>;

/** What went to production while a guard was loosened, with the way to each. */
function DeployedMeanwhile({ loosening: { deployed, deployedCount } }: { loosening: Loosening }) {
  const { slug } = useMembership();
  if (deployedCount === 0) return <p className="text-soft text-sm">Nothing was deployed to production meanwhile.</p>;
  return (
    <div className="text-sm">
      <p>Deployed to production meanwhile:</p>
      <ul aria-label="Deployed meanwhile">
        {deployed.map(({ id, serviceName, releaseNumber, environmentName, projectName }) => (
          <li key={id}>
            <Link {...deploymentLink({ id }, slug)} className="break-words underline underline-offset-3">
              Release {releaseNumber} of {serviceName} to {environmentName} of {projectName}
            </Link>
          </li>
        ))}
      </ul>
      {deployedCount > deployed.length && <p>and {counted(deployedCount - deployed.length, 'earlier deployment')}.</p>}
    </div>
  );
}

/** Makes the guard again what it was, by one click; nothing where it was changed again. */
function UndoLoosening({ loosening: { id, endedAt } }: { loosening: Loosening }) {
  const { trpc } = usePlane();
  const change = useOperation(trpc.guards.undo, {
    failed: 'It could not be undone',
    succeeded: 'Undone',
    touches: [trpc.attention.pathKey()],
  });
  if (endedAt !== undefined) return null;
  return <OneAction small action={{ label: 'Undo', act: () => change.send({ path: { id } }) }} />;
}

/** Everything that is broken, an item each, with the way to what tells most about it. */
export function NeedsAttention() {
  const { trpc } = usePlane();
  // The event stream does not report workflows that become stuck by time alone.
  const pages = usePages(trpc.attention.list, { query: { limit: 50 }, every: 60_000, id: ({ key }) => key });
  return (
    <Section title="Needs attention">
      <LoadedPages
        pages={pages}
        empty={
          <p className="flex min-h-12 items-center gap-2.5 px-4 py-3 text-sm">
            <CheckIcon className="text-good" />
            All clear.
          </p>
        }
      >
        {(items) => (
          <ul aria-label="Needs attention" className="divide-y divide-line">
            {items.map((item) => (
              <Item key={item.key} item={item} />
            ))}
          </ul>
        )}
      </LoadedPages>
    </Section>
  );
}

const marks: Record<Tone, string> = {
  neutral: 'bg-faint',
  good: 'bg-good-mark',
  attention: 'bg-attention-mark',
  fault: 'bg-fault',
  live: 'bg-live-mark',
};

function Item({ item }: { item: Attention }) {
  const { slug } = useMembership();
  const { tone, title, detail, go, link } = attentionWords(item, slug);
  return (
    <li className="flex items-start gap-3 px-4 py-3 max-sm:flex-wrap">
      <span aria-hidden="true" className={classes('mt-[7px] size-2 shrink-0 rounded-full', marks[tone])} />
      <div className="min-w-0 flex-1 basis-56">
        <p className="break-words font-medium">{title}</p>
        {detail !== '' && (
          <p className="line-clamp-3 text-pretty break-words text-soft text-sm">
            <WithTimes text={detail} />
          </p>
        )}
        {item.loosening !== undefined && <DeployedMeanwhile loosening={item.loosening} />}
      </div>
      <div className="max-sm:ml-5">
        {link !== undefined && (
          <ButtonLink small {...link}>
            {go}
          </ButtonLink>
        )}
        {item.loosening !== undefined && <UndoLoosening loosening={item.loosening} />}
      </div>
    </li>
  );
}
