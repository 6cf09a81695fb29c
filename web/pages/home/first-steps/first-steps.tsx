import { CheckCircleFillIcon, CircleIcon } from '@primer/octicons-react';
import { Button, ButtonLink } from '../../../components/forms/button.tsx';
import { Section } from '../../../components/page.tsx';
import { useMembership } from '../../../control-plane/session.ts';
import type { ListedCluster } from '../../clusters/cluster-status.tsx';
import { placeGuide, useGuideWish } from './guide-place.ts';
import { type Step, useSteps } from './use-steps.ts';

/** A checklist for a new installation. Hidden when all is done, or when dismissed. */
export function FirstSteps({
  clusters,
  personId,
}: {
  clusters: readonly ListedCluster[] | undefined;
  personId: string;
}) {
  const { id } = useMembership();
  const steps = useSteps(clusters, personId);
  const wish = useGuideWish(id);
  if (steps === undefined || wish === 'away') return null;
  const done = steps.filter((step) => step.done).length;
  if (done === steps.length && wish !== 'shown') return null;
  return (
    <Section
      title="First steps"
      about={`${done} of ${steps.length} done.`}
      actions={
        <Button look="quiet" small onClick={() => placeGuide(id, 'away')}>
          Dismiss
        </Button>
      }
    >
      <ol aria-label="First steps" className="divide-y divide-line">
        {steps.map((step) => (
          <FirstStep key={step.title} step={step} />
        ))}
      </ol>
    </Section>
  );
}

function FirstStep({ step: { title, about, done, go } }: { step: Step }) {
  return (
    <li className="flex items-start gap-3 px-4 py-3 max-sm:flex-wrap">
      <span className={done ? 'mt-0.5 text-good' : 'mt-0.5 text-faint'}>
        {done ? <CheckCircleFillIcon /> : <CircleIcon />}
      </span>
      <div className="min-w-0 flex-1 basis-56">
        <p className={done ? 'text-soft' : 'font-medium'}>
          {title}
          <span className="sr-only">{done ? ', done' : ', not done'}</span>
        </p>
        {!done && <p className="text-pretty text-soft text-sm">{about}</p>}
      </div>
      {!done && (
        <div className="max-sm:ml-7">
          {'link' in go ? (
            <ButtonLink small {...go.link}>
              {go.label}
            </ButtonLink>
          ) : (
            <Button small onClick={() => location.assign(go.href)}>
              {go.label}
            </Button>
          )}
        </div>
      )}
    </li>
  );
}
