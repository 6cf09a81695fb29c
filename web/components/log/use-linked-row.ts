import { useEffect, useRef, useState } from 'react';
import type { LogRow } from './rows.ts';
import type { LogStore } from './store/log-store.ts';

/** A link: `<channel>~<row>@<place>`. Anybody may have typed it. */
export function placeOf(line: string | undefined): { id: string; channel: string; place: string } | undefined {
  const [, id, channel, place] = /^(([^~@]+)~[^~@]+)@(\d{1,15}\.\d{1,15})$/.exec(line ?? '') ?? [];
  return id === undefined || channel === undefined || place === undefined ? undefined : { id, channel, place };
}

/** The row of a link, brought into view once it is read. */
export function useLinkedRow(
  store: LogStore,
  rows: readonly LogRow[],
  line: string | undefined,
  show: (index: number, where?: 'middle' | 'bottom') => void,
) {
  const [first] = useState(() => placeOf(line));
  const [wanted, setWanted] = useState(first?.id);
  const shown = useRef<string>(undefined);
  const index = wanted === undefined || shown.current === wanted ? -1 : rows.findIndex(({ id }) => id === wanted);
  useEffect(() => {
    if (index < 0) return;
    shown.current = wanted;
    show(index, rows[index]?.kind === 'end' ? 'bottom' : 'middle');
  }, [index, rows, wanted, show]);
  const { isReadingEarlier, rows: all } = store.view();
  const isLost = wanted !== undefined && shown.current !== wanted && !isReadingEarlier && all.length > 0 && index < 0;
  const seek = (id: string) => {
    shown.current = undefined;
    setWanted(id);
  };
  return { id: wanted, place: first, isLost, seek };
}
