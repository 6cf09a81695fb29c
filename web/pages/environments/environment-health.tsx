import { Status } from '../../components/status.tsx';
import { counted } from '../instances/counted.ts';
import { urgencyOf } from '../services/words/service-words.ts';
import { useOverview } from './use-overview.ts';

/** How the services of an environment are, in a few words: the worst first. */
export function EnvironmentHealth({ id }: { id: string }) {
  const services = useOverview(id).data;
  if (services === undefined) return null;
  const count = (...healths: string[]) => services.filter(({ health }) => healths.includes(health)).length;
  const [worst] = services.toSorted((one, other) => urgencyOf(one) - urgencyOf(other));
  if (worst === undefined) return <Status tone="neutral">No services yet</Status>;
  const pending = services.filter(({ pendingDeployment }) => pendingDeployment !== undefined);
  const held = pending.filter(({ blocker }) => blocker === 'approval').length;
  const under = pending.length - held;
  if (count('down') > 0)
    return (
      <Status tone="fault">
        {count('down')} of {services.length} down
      </Status>
    );
  if (count('degraded') > 0) return <Status tone="attention">{counted(count('degraded'), 'degraded service')}</Status>;
  if (under > 0) return <Status tone="live">{counted(under, 'deployment')} under way</Status>;
  if (held > 0) return <Status tone="attention">{counted(held, 'deployment')} held</Status>;
  if (count('unknown') > 0) return <Status tone="neutral">Unknown</Status>;
  if (count('healthy') === 0) return <Status tone="neutral">Nothing deployed yet</Status>;
  return <Status tone="good">{counted(count('healthy'), 'healthy service')}</Status>;
}
