import type { Point } from './layout.ts';

export type Direction = 'ArrowLeft' | 'ArrowRight' | 'ArrowUp' | 'ArrowDown';

const steps: Readonly<Record<Direction, Point>> = {
  ArrowLeft: { x: -1, y: 0 },
  ArrowRight: { x: 1, y: 0 },
  ArrowUp: { x: 0, y: -1 },
  ArrowDown: { x: 0, y: 1 },
};

export function isDirection(key: string): key is Direction {
  return Object.hasOwn(steps, key);
}

/** So far a key moves the box that it moves with Shift. */
export function moved({ x, y }: Point, direction: Direction, by: number): Point {
  return { x: x + steps[direction].x * by, y: y + steps[direction].y * by };
}

/** The nearest in that direction; one that lies aside counts as farther away. */
export function neighbour(places: ReadonlyMap<string, Point>, from: string, direction: Direction): string | undefined {
  const here = places.get(from);
  if (here === undefined) return undefined;
  const { x, y } = steps[direction];
  let nearest: { id: string; far: number } | undefined;
  for (const [id, there] of places) {
    const along = (there.x - here.x) * x + (there.y - here.y) * y;
    if (id === from || along <= 0) continue;
    const aside = Math.abs((there.x - here.x) * y) + Math.abs((there.y - here.y) * x);
    const far = along + aside * 2;
    if (nearest === undefined || far < nearest.far) nearest = { id, far };
  }
  return nearest?.id;
}
