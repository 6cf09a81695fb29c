import { type RefObject, useEffect, useState } from 'react';

/** Widths in characters: time with its space, stream, channel. */
const gutter = { times: 14, stream: 3, gap: 5, named: 18 };

/** How many characters of a line fit into the box. A guess where it is wrong: rows that are shown are measured. */
export function useColumns(
  box: RefObject<HTMLElement | null>,
  { times, named, numbered }: { times: boolean; named: boolean; numbered: boolean },
) {
  const [layout, setLayout] = useState({ columns: 100, stacked: false });
  useEffect(() => {
    const element = box.current;
    if (element === null) return;
    const look = () => {
      const character = Number.parseFloat(getComputedStyle(element).fontSize) * 0.6;
      // As the style of a row has it on phones.
      const stacked = !numbered && window.innerWidth < 640;
      const taken = stacked ? 0 : gutter.stream + gutter.gap + (times ? gutter.times : 0) + (named ? gutter.named : 0);
      const columns = Math.max(10, Math.floor((element.clientWidth - 28) / character) - taken);
      setLayout((now) => (now.columns === columns && now.stacked === stacked ? now : { columns, stacked }));
    };
    const observer = new ResizeObserver(look);
    observer.observe(element);
    look();
    return () => observer.disconnect();
  }, [box, times, named, numbered]);
  return layout;
}
