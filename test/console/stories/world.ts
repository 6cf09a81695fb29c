import type { Console } from '../console.ts';
import type { Visitor } from '../visitor.ts';

/** Stands before the stories of a subject begin. Each subject makes what it needs, under names of its own. */
export interface World {
  readonly opened: Console;
  /** The first owner, signed in, with the organization `default`. */
  readonly ada: Visitor;
  /** Complaints of a page that the story provokes on purpose. */
  means(...complaints: RegExp[]): void;
}

export type Stories = (world: () => World) => void;
