import {
  AlertIcon,
  CheckCircleIcon,
  ClockIcon,
  ContainerIcon,
  DatabaseIcon,
  HourglassIcon,
  type Icon,
  PauseIcon,
  PlusCircleIcon,
  SkipIcon,
  SyncIcon,
  XCircleIcon,
} from '@primer/octicons-react';
import { Handle, type NodeProps, Position } from '@xyflow/react';
import { memo, useEffect, useRef } from 'react';
import { classes, type Tone } from '../../../components/style.ts';
import { ServiceHealth } from '../../services/service-health.tsx';
import { headHeight, type Placed, type ServiceNode } from './nodes.ts';
import { type Glance, type GlanceKind, glanceOf } from './service-glance.ts';
import { useStanding } from './standing.ts';

const icons: Readonly<Record<GlanceKind, Icon>> = {
  held: HourglassIcon,
  waiting: ClockIcon,
  rolling: SyncIcon,
  failed: XCircleIcon,
  suspended: PauseIcon,
  added: PlusCircleIcon,
  warned: AlertIcon,
  drift: AlertIcon,
  live: CheckCircleIcon,
  none: SkipIcon,
};

const inks: Record<Tone, string> = {
  neutral: 'text-soft',
  good: 'text-good',
  attention: 'text-attention',
  fault: 'text-fault',
  live: 'text-live',
};

const edges: Record<GlanceKind, string> = {
  held: 'border-attention-mark border-l-4',
  waiting: 'border-attention-mark',
  rolling: 'border-live-mark border-l-4',
  failed: 'border-fault border-l-4',
  suspended: 'border-field-line border-dashed',
  added: 'border-live-mark border-dashed',
  warned: 'border-attention-mark',
  drift: 'border-attention-mark',
  live: 'border-soft-line',
  none: 'border-soft-line border-dashed',
};

/** Where lines begin and end. */
const atHead = { top: headHeight / 2 };

/** A service on the canvas: a button that opens its panel, and its volumes beneath. */
export const ServiceBox = memo(function ServiceBox({ id, data: { placed } }: NodeProps<ServiceNode>) {
  const { current, open, focus, onFocus, onOpen } = useStanding(id);
  const button = useRef<HTMLButtonElement>(null);
  useEffect(() => {
    if (focus) button.current?.focus({ preventScroll: true });
  }, [focus]);
  const { name, slug, overview, volumes } = placed;
  const glance = glanceOf(overview);
  return (
    <>
      <Handle type="source" position={Position.Right} isConnectable={false} style={atHead} className="opacity-0" />
      <Handle type="target" position={Position.Left} isConnectable={false} style={atHead} className="opacity-0" />
      <div
        className={classes(
          'pointer-events-auto flex h-full flex-col overflow-hidden rounded-lg border bg-card shadow-card',
          edges[glance.kind],
          open && 'outline-2 outline-focus outline-offset-2',
        )}
      >
        <button
          ref={button}
          type="button"
          data-service={slug}
          tabIndex={current ? 0 : -1}
          aria-expanded={open}
          onFocus={onFocus}
          onClick={onOpen}
          className="flex h-[90px] shrink-0 flex-col justify-center gap-1 rounded-lg px-3 text-left hover:bg-hover focus-visible:-outline-offset-2"
        >
          <span className="flex w-full min-w-0 items-center gap-2">
            <span className="shrink-0 text-faint">
              <ContainerIcon size={14} />
            </span>
            <span className="truncate font-medium">{name}</span>
          </span>
          <ServiceHealth of={overview} />
          <GlanceLine glance={glance} />
        </button>
        {volumes.map((volume) => (
          <span
            key={volume.id}
            className="flex h-7 shrink-0 items-center gap-2 border-line border-t bg-sunken px-3 text-soft text-xs"
          >
            <DatabaseIcon size={12} />
            <span className="truncate">{volume.name}</span>
          </span>
        ))}
      </div>
    </>
  );
});

export function GlanceLine({ glance: { kind, word, tone } }: { glance: Glance }) {
  const Sign = icons[kind];
  return (
    <span className={classes('flex w-full min-w-0 items-center gap-2 text-sm', inks[tone])}>
      <span className={classes('shrink-0', kind === 'rolling' && 'breathe')}>
        <Sign size={12} />
      </span>
      <span className="truncate" title={word}>
        {word}
      </span>
    </span>
  );
}

/** All that the box and its lines say, as one sentence. */
export function wordsOfBox(placed: Placed, { word }: Glance): string {
  return [placed.name, `health ${placed.overview.health}`, word, ...moreOf(placed)].join('; ');
}

/** Volumes and lines, which are seen beside the button. */
function moreOf({ volumes, needs }: Placed): string[] {
  const others = [...new Set(needs.map((other) => other.name))];
  return [
    ...(volumes.length > 0 ? [`volumes ${volumes.map((volume) => volume.name).join(', ')}`] : []),
    ...(others.length > 0 ? [`needs ${others.join(', ')}`] : []),
  ];
}
