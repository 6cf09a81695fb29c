import { type RefObject, useEffect, useState } from 'react';

/** Widths in characters: time with its space, stream, channel. */
const gutter = { times: 14, stream: 3, gap: 5, named: 18 };

/** How many characters of a line fit into the box. A guess where it is wrong: rows that are shown are measured. */
export function useColumns(box: RefObject<HTMLElement | null>, { times, named }: { times: boolean; named: boolean }) {
  const [columns, setColumns] = useState(100);
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => {
      const character = Number.parseFloat(getComputedStyle(element).fontSize) * 0.6;
      const taken = gutter.stream + gutter.gap + (times ? gutter.times : 0) + (named ? gutter.named : 0);
      setColumns(Math.max(10, Math.floor((element.clientWidth - 28) / character) - taken));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, [box, times, named]);
  return columns;
}
