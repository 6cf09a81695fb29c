import { CheckIcon, DashIcon } from '@primer/octicons-react';
import { Section } from '../../components/page.tsx';
import { LastKnown } from '../../components/status.tsx';
import { classes } from '../../components/style.ts';
import { capabilityWords, whyNot } from './capabilities.ts';
import { type ClusterAnswer, isInContact } from './cluster-status.tsx';

/** Capabilities of a cluster, those it lacks, and limits of its machine. */
export function ClusterAbilities({ cluster }: { cluster: ClusterAnswer }) {
  const current = isInContact(cluster);
  const { can, cannot } = capabilityWords(cluster.capabilities);
  return (
    <Section title="Capabilities" about={current ? undefined : <LastKnown of={cluster} />}>
      <div className="divide-y divide-line">
        <ul aria-label="Capabilities" className="flex flex-col gap-1.5 px-4 py-3 text-sm">
          {cluster.driver === 'docker' && (
            <Ability current={current}>
              Each instance runs in a container of its own, apart from the machine and the others.
            </Ability>
          )}
          {cluster.notes.map((note) => (
            <Ability key={note} not>
              {note}
            </Ability>
          ))}
          {can.map((text) => (
            <Ability key={text} current={current}>
              {text}
            </Ability>
          ))}
        </ul>
        <details className="group px-4 py-3 text-sm">
          <summary className="w-fit rounded-sm text-soft hover:text-text">Not available ({cannot.length})</summary>
          <p className="mt-2 text-pretty text-soft">{whyNot(cluster.driver)}</p>
          <ul aria-label="Not available" className="mt-2 grid gap-x-6 gap-y-1.5 sm:grid-cols-2">
            {cannot.map((text) => (
              <Ability key={text} not>
                {text}
              </Ability>
            ))}
          </ul>
        </details>
      </div>
    </Section>
  );
}

function Ability({ not = false, current = true, children }: { not?: boolean; current?: boolean; children: string }) {
  return (
    <li className="flex items-start gap-2.5">
      {not ? (
        <DashIcon className="mt-0.5 shrink-0 text-faint" />
      ) : (
        <CheckIcon className={classes('mt-0.5 shrink-0', current ? 'text-good' : 'text-faint')} />
      )}
      <span className="min-w-0 text-pretty">{children}</span>
    </li>
  );
}
