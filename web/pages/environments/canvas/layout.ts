export interface Point {
  x: number;
  y: number;
}

/** A box to be placed, with the ids of those that it needs. */
export interface Box {
  id: string;
  height: number;
  needs: readonly string[];
  /** Where somebody put it. */
  at?: Point | undefined;
}

export const boxWidth = 248;
const betweenColumns = 96;
const betweenRows = 24;
/** Boxes below each other before a column goes on beside itself. */
const mostInColumn = 12;

/**
 * A place for each box: what needs others stands left of them, in columns, and what has to do with nobody stands in rows beneath.
 * Boxes that somebody placed stay, and the others make room for them.
 */
export function arrange(boxes: readonly Box[]): Map<string, Point> {
  const there = new Map(boxes.map((box) => [box.id, box]));
  const needed = new Set(boxes.flatMap(({ id, needs }) => needs.filter((other) => other !== id && there.has(other))));
  const isAlone = ({ id, needs }: Box) => !needed.has(id) && !needs.some((other) => other !== id && there.has(other));
  const places = new Map<string, Point>();
  const bottom = placeColumns(columnsOf(boxes.filter((box) => !isAlone(box))), places);
  placeRows(boxes.filter(isAlone), bottom, places);
  return aroundPlaced(boxes, places);
}

/** Boxes by their distance from those that need nothing, the farthest first; of a circle each counts once. */
function columnsOf(boxes: readonly Box[]): Box[][] {
  const there = new Map(boxes.map((box) => [box.id, box]));
  const ranks = new Map<string, number>();
  const rankOf = (box: Box, above: ReadonlySet<string>): number => {
    const known = ranks.get(box.id);
    if (known !== undefined) return known;
    const within = new Set([...above, box.id]);
    const below = box.needs.flatMap((id) => (within.has(id) ? [] : (there.get(id) ?? [])));
    const rank = below.length === 0 ? 0 : 1 + Math.max(...below.map((other) => rankOf(other, within)));
    ranks.set(box.id, rank);
    return rank;
  };
  const columns: Box[][] = [];
  for (const box of boxes) {
    const rank = rankOf(box, new Set());
    columns[rank] ??= [];
    columns[rank].push(box);
  }
  return sorted(columns.map((column) => column ?? []).reverse());
}

/** Each column in the order of those that need its boxes, so that few lines cross. */
function sorted(columns: Box[][]): Box[][] {
  const [first = [], ...others] = columns;
  const result = [first];
  const rows = new Map(first.map(({ id }, row) => [id, row]));
  const needing = new Map<string, string[]>();
  for (const { id, needs } of columns.flat()) {
    for (const other of needs) needing.set(other, [...(needing.get(other) ?? []), id]);
  }
  for (const column of others) {
    const middle = (box: Box, otherwise: number) => {
      const known = (needing.get(box.id) ?? []).flatMap((id) => rows.get(id) ?? []);
      return known.length === 0 ? otherwise : known.reduce((sum, row) => sum + row, 0) / known.length;
    };
    const next = column
      .map((box, index) => ({ box, middle: middle(box, index) }))
      .toSorted((one, other) => one.middle - other.middle)
      .map(({ box }) => box);
    for (const [row, { id }] of next.entries()) rows.set(id, row);
    result.push(next);
  }
  return result;
}

function placeColumns(columns: readonly Box[][], places: Map<string, Point>): number {
  let x = 0;
  let bottom = 0;
  for (const column of columns) {
    for (let start = 0; start < column.length; start += mostInColumn) {
      let y = 0;
      for (const { id, height } of column.slice(start, start + mostInColumn)) {
        places.set(id, { x, y });
        y += height + betweenRows;
      }
      bottom = Math.max(bottom, y);
      x += boxWidth + betweenColumns;
    }
  }
  return bottom;
}

/** About as wide as two times their height. */
function placeRows(boxes: readonly Box[], top: number, places: Map<string, Point>): void {
  const across = Math.max(3, Math.ceil(Math.sqrt(boxes.length)));
  let y = top === 0 ? 0 : top + betweenRows;
  for (let start = 0; start < boxes.length; start += across) {
    const row = boxes.slice(start, start + across);
    for (const [index, { id }] of row.entries()) places.set(id, { x: index * (boxWidth + betweenRows * 2), y });
    y += Math.max(...row.map(({ height }) => height)) + betweenRows;
  }
}

/** Those that nobody placed move down until they cover none of the others. */
function aroundPlaced(boxes: readonly Box[], places: Map<string, Point>): Map<string, Point> {
  const taken = boxes.flatMap(({ at, height }) => (at === undefined ? [] : [{ ...at, height }]));
  if (taken.length === 0) return places;
  const result = new Map<string, Point>();
  for (const { id, height, at } of boxes) {
    const place = at ?? { ...(places.get(id) ?? { x: 0, y: 0 }) };
    result.set(id, place);
    if (at !== undefined) continue;
    const covered = () =>
      taken.find(
        (one) => Math.abs(one.x - place.x) < boxWidth && one.y < place.y + height && place.y < one.y + one.height,
      );
    for (let one = covered(); one !== undefined; one = covered()) place.y = one.y + one.height + betweenRows;
    taken.push({ ...place, height });
  }
  return result;
}
