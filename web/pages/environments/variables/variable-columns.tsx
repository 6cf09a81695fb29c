import { Badge } from '../../../components/status.tsx';
import type { Column } from '../../../components/table/column.ts';
import { timeColumn } from '../../../components/table/usual-columns.tsx';
import type { Answers } from '../../../control-plane/session.ts';
import { type Referrers, usedBy } from './use-referrers.ts';

export type Variable = Answers['variables']['list']['items'][number];

interface VariableContext {
  shared: boolean;
  referrers: Referrers | undefined;
  files: ReadonlyMap<string, readonly string[]> | undefined;
}

/** The key with who needs it beneath, the value, and who changed it. */
export function variableColumns(told: VariableContext): Column<Variable>[] {
  return [
    {
      label: 'Key',
      cell: (variable) => <Key variable={variable} told={told} />,
      sort: ({ key }) => key,
      width: 'minmax(0, 1.5fr)',
    },
    {
      label: 'Value',
      cell: ({ value, secret }) =>
        secret ? (
          <span className="text-faint">Secret, never shown</span>
        ) : (
          <span className="line-clamp-3 whitespace-pre-wrap break-all font-mono text-sm text-text">{value}</span>
        ),
      width: 'minmax(0, 2fr)',
    },
    { label: 'By', cell: ({ updatedBy }) => updatedBy, sort: ({ updatedBy }) => updatedBy },
    timeColumn('Changed', ({ updatedAt }) => updatedAt),
  ];
}

function Key({
  variable: { key, staged, buildTime },
  told: { shared, referrers, files },
}: {
  variable: Variable;
  told: VariableContext;
}) {
  const referred = referrers?.get(key);
  const paths = files?.get(key) ?? [];
  return (
    <span className="block min-w-0">
      <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <span className="break-all font-mono text-sm">{key}</span>
        {buildTime !== 'no' && <Badge tone="neutral">{buildTime === 'also' ? 'and builds' : 'builds alone'}</Badge>}
        <StagedBadge staged={staged} removed="staged to be unset" />
      </span>
      {paths.length > 0 && (
        <span className="block break-all text-soft text-xs">
          {paths.length === 1 ? 'File' : 'Files'} {paths.join(', ')}
        </span>
      )}
      {referred !== undefined && <span className="block break-words text-soft text-xs">{usedBy(referred)}</span>}
      {shared && referrers !== undefined && referred === undefined && (
        <span className="block text-faint text-xs">Not used</span>
      )}
    </span>
  );
}

/** Beside the name of what is not deployed as it is shown. */
export function StagedBadge({ staged, removed }: { staged: 'set' | 'unset' | undefined; removed: string }) {
  return staged === undefined ? null : <Badge tone="live">{staged === 'set' ? 'staged' : removed}</Badge>;
}
