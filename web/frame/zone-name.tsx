import { useTimes } from '../components/times/zone.ts';

/** The zone of every time on the page, so that none needs to name its own. */
export function ZoneName() {
  return <p className="px-2.5 text-faint text-xs">Times in {useTimes().zone.replaceAll('_', ' ')}</p>;
}
