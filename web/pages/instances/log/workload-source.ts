import { type LogNews, LogRefused, type LogSource } from '../../../components/log/source.ts';
import { before, type LogsOf, readStream, rowOf } from './instance-source.ts';

/** The logs of all instances of a workload, in one stream. */
export function workloadSource(of: LogsOf, workload: string): LogSource {
  return {
    name: workload,
    async *follow(channels, tail, signal) {
      const places = [...channels].flatMap(([id, place]) => (place === undefined ? [] : [`${id}:${place}`]));
      const query = {
        instances: [...channels.keys()].slice(0, mostInstances).join(),
        tail: String(tail),
        follow: 'true',
        ...(places.length === 0 ? {} : { after: places.slice(0, mostInstances).join() }),
      };
      for await (const { id = '', ...frame } of readStream(of, undefined, query, signal)) {
        if (frame.event === undefined) {
          if (frame.comment !== 'open') yield { alive: true };
        } else yield* told({ ...frame, id: id.slice(id.indexOf(':') + 1) });
      }
    },
    before: (channel, place, count, signal) => before(of, channel, place, count, signal),
  };
}

/** As many as one stream takes. */
export const mostInstances = 12;

function* told(frame: { event?: string; data: string; id: string }): Generator<LogNews> {
  const { instance, message } = JSON.parse(frame.data) as { instance: string; message?: string };
  if (frame.event === 'end') {
    if (typeof message !== 'string') throw new LogRefused('The control plane answered nonsense.');
    yield { end: instance, why: message === '' ? '' : `${instance}: ${message}` };
    return;
  }
  const row = rowOf(frame, instance);
  if (row !== undefined) yield { row };
}
