import { type Edge, MarkerType, type Node, Position } from '@xyflow/react';
import type { ServiceAnswer } from '../../services/use-service.ts';
import type { ServiceOverview } from '../use-overview.ts';
import { arrange, boxWidth, type Point } from './layout.ts';

/** A service on the canvas: how it is, and what it has. */
export interface Placed {
  id: string;
  name: string;
  slug: string;
  overview: ServiceOverview;
  /** The services that it is deployed after, and why. */
  needs: ServiceAnswer['deployAfter'];
  volumes: readonly { id: string; name: string }[];
  /** Where somebody put it. */
  at?: Point;
}

export type ServiceNode = Node<{ placed: Placed }, 'service'>;

export const headHeight = 92;
const volumeHeight = 28;

export function heightOf({ volumes }: Pick<Placed, 'volumes'>): number {
  return headHeight + volumes.length * volumeHeight;
}

/** One that is staged to be removed still runs, and has no settings that are wanted there. */
export function placedOf(overviews: readonly ServiceOverview[], services: readonly ServiceAnswer[]): Placed[] {
  const settings = new Map(services.map((service) => [service.id, service]));
  return overviews.map((overview) => {
    const { serviceId: id, serviceName: name, serviceSlug: slug } = overview;
    const { deployAfter = [], volumes = [], canvasX: x, canvasY: y } = settings.get(id) ?? {};
    const needs = deployAfter.filter((other) => other.id !== id);
    return {
      id,
      name,
      slug,
      overview,
      needs,
      volumes,
      ...(x === undefined || y === undefined ? {} : { at: { x, y } }),
    };
  });
}

/** Where each stands: as somebody placed it, else as its dependencies suggest. */
export function placesOf(all: readonly Placed[]): Map<string, Point> {
  return arrange(
    all.map((placed) => ({ ...placed, height: heightOf(placed), needs: placed.needs.map(({ id }) => id) })),
  );
}

export function nodeOf(placed: Placed, position: Point): ServiceNode {
  const { id, name } = placed;
  const height = heightOf(placed);
  // With sizes and handles that are known, lines are drawn to what is out of sight, too.
  const handle = { y: headHeight / 2, width: 1, height: 1 };
  return {
    id,
    type: 'service',
    position,
    data: { placed },
    ...{ width: boxWidth, height, measured: { width: boxWidth, height } },
    handles: [
      { ...handle, type: 'source', position: Position.Right, x: boxWidth },
      { ...handle, type: 'target', position: Position.Left, x: 0 },
    ],
    ariaLabel: name,
  };
}

/** A line to each service that another one needs; one by references names their keys. */
export function edgesOf(all: readonly Placed[]): Edge[] {
  const there = new Set(all.map(({ id }) => id));
  return all.flatMap(({ id, name, needs }) => {
    const lines = Map.groupBy(needs, (other) => other.id);
    return [...lines].flatMap(([target, reasons]) => {
      if (!there.has(target)) return [];
      const byReference = reasons.some(({ via }) => via !== 'depends-on');
      return {
        id: `${id} ${target}`,
        source: id,
        target,
        ariaLabel: `${name} needs ${reasons[0]?.name ?? ''}`,
        markerEnd: { type: MarkerType.ArrowClosed, color: 'var(--faint)', width: 16, height: 16 },
        // Drawn through where values are taken, with gaps where only the order matters.
        style: { stroke: 'var(--faint)', ...(byReference ? {} : { strokeDasharray: '5 4' }) },
      };
    });
  });
}
