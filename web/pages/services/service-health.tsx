import { isOutOfContact, Status, Told } from '../../components/status.tsx';
import { useTimes } from '../../components/times/zone.ts';
import type { ServiceOverview } from '../environments/use-overview.ts';
import { healthWords } from './words/service-words.ts';

/** Whether what should run does, as the agent told it last. */
export function ServiceHealth({ of }: { of: Pick<ServiceOverview, 'health' | 'asOf'> }) {
  const times = useTimes();
  const { word, tone } = healthWords(of);
  if (of.health === 'unknown' && isOutOfContact(of)) {
    return (
      <span title={of.asOf && `The agent was heard of last ${times.exact(of.asOf.at)}`}>
        <Status tone={tone}>{word}</Status>
      </span>
    );
  }
  return (
    <Told of={of} tone={tone}>
      {word}
    </Told>
  );
}
