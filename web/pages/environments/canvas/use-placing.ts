import { useCallback, useEffect, useRef, useState } from 'react';
import { type Sent, useChange } from '../../../control-plane/change.ts';
import { pagesKey, withItems } from '../../../control-plane/pages.ts';
import { usePlane } from '../../../control-plane/plane.ts';
import type { ServiceAnswer } from '../../services/use-service.ts';
import type { Point } from './layout.ts';

/** Boxes that are moved shortly after each other are one change. */
const settledMillis = 600;

type Places = Readonly<Record<string, Point>>;
/** `null`: all are arranged by themselves again. */
interface Placing {
  to: Places | null;
  from: Places;
}

/** Where people put the services of a project; kept by the control plane, and Undo takes it back. */
export function usePlacing(projectId: string) {
  const { client, trpc } = usePlane();
  const [moved, setMoved] = useState<Places>({});
  const waiting = useRef<Placing>({ to: {}, from: {} });
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const change = useChange(
    ({ to }: Placing, sent: Sent) => {
      const path = { id: projectId };
      if (to === null) return client.services.clearCanvas.mutate({ path }, sent);
      const positions = Object.entries(to).map(([serviceId, place]) => ({ serviceId, ...place }));
      return client.services.setCanvas.mutate({ path, body: { positions } }, sent);
    },
    {
      failed: 'The services could not be placed',
      succeeded: (_, { to }) => (to === null ? 'Services arranged' : `${counted(to)} moved`),
      undo: ({ to, from }) => ({ to: from, from: to ?? {} }),
      meanwhile: ({ to }) => [
        {
          queryKey: pagesKey(trpc.services.list),
          data: withItems<ServiceAnswer>((items) =>
            items.map((service) => (service.projectId === projectId ? put(service, to) : service)),
          ),
        },
      ],
    },
  );
  const latest = useRef(change);
  latest.current = change;
  const send = useCallback(() => {
    clearTimeout(timer.current);
    const { to, from } = waiting.current;
    if (to === null || Object.keys(to).length === 0 || latest.current.sending) return;
    waiting.current = { to: {}, from: {} };
    latest.current.send({ to, from });
    setMoved({});
  }, []);
  const { sending } = change;
  // Moves made while a change was on its way follow it.
  useEffect(() => {
    if (!sending) send();
  }, [sending, send]);
  // A page that is left has sent it.
  useEffect(() => send, [send]);
  return {
    /** Places that are not sent yet, and those of a box that is being dragged. */
    moved,
    drag: useCallback((id: string, place: Point) => setMoved((before) => ({ ...before, [id]: place })), []),
    drop: useCallback(
      (id: string, { x, y }: Point, from: Point) => {
        const place = { x: Math.round(x), y: Math.round(y) };
        setMoved((before) => ({ ...before, [id]: place }));
        const { to, from: before } = waiting.current;
        waiting.current = { to: { ...to, [id]: place }, from: { [id]: from, ...before } };
        clearTimeout(timer.current);
        timer.current = setTimeout(send, settledMillis);
      },
      [send],
    ),
    /** Forgets where people put them: `from` is where that was. */
    arrange: useCallback((from: Places) => {
      clearTimeout(timer.current);
      waiting.current = { to: {}, from: {} };
      setMoved({});
      latest.current.send({ to: null, from });
    }, []),
  };
}

function counted(places: Places): string {
  const count = Object.keys(places).length;
  return count === 1 ? '1 service' : `${count} services`;
}

function put({ canvasX, canvasY, ...service }: ServiceAnswer, to: Places | null): ServiceAnswer {
  if (to === null) return service;
  const place = to[service.id];
  if (place !== undefined) return { ...service, canvasX: place.x, canvasY: place.y };
  return {
    ...service,
    ...(canvasX === undefined ? {} : { canvasX }),
    ...(canvasY === undefined ? {} : { canvasY }),
  };
}
