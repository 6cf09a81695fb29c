import { DownloadIcon } from '@primer/octicons-react';
import { useState } from 'react';
import { Menu, MenuItem } from '../../components/dialogs/menu.tsx';
import { Button } from '../../components/forms/button.tsx';
import { saveFile } from '../../components/save-file.ts';
import { useTimes } from '../../components/times/zone.ts';
import { tellDone, tellFailure } from '../../components/toasts/told.ts';
import { usePlane } from '../../control-plane/plane.ts';
import { problemOf } from '../../control-plane/problem.ts';
import { useMembership } from '../../control-plane/session.ts';
import { allRecords, type ExportFormat, exportText } from './export-log.ts';
import { type LogFilter, queryOf } from './filter.ts';

const types = { csv: 'text/csv', ndjson: 'application/x-ndjson' } as const;

/** Exports all records that match the filters, loaded or not. */
export function ExportButton({ filter }: { filter: LogFilter }) {
  const { client } = usePlane();
  const { slug } = useMembership();
  const times = useTimes();
  const [count, setCount] = useState<number>();
  const save = async (format: ExportFormat) => {
    setCount(0);
    try {
      const query = queryOf(filter, times);
      const { records, complete } = await allRecords(
        (cursor) =>
          client.auditLog.list.query({ query: { ...query, limit: 200, ...(cursor === undefined ? {} : { cursor }) } }),
        setCount,
      );
      saveFile(`${slug}-audit-log.${format}`, exportText(records, format), types[format]);
      const said = `${records.length.toLocaleString('en')} ${records.length === 1 ? 'record' : 'records'} exported`;
      tellDone(complete ? said : `The newest ${said}; choose a time to export older ones`);
    } catch (error) {
      tellFailure('The log could not be exported', problemOf(error));
    }
    setCount(undefined);
  };
  return (
    <Menu
      label="Export what is shown"
      trigger={
        <Button icon={<DownloadIcon />} busy={count !== undefined}>
          {count === undefined ? 'Export' : `${count.toLocaleString('en')} records`}
        </Button>
      }
    >
      <MenuItem onSelect={() => void save('csv')}>As a table (CSV)</MenuItem>
      <MenuItem onSelect={() => void save('ndjson')}>As JSON lines (NDJSON)</MenuItem>
    </Menu>
  );
}
