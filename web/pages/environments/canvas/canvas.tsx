import '@xyflow/react/dist/base.css';
import './canvas.css';
import { Background, type NodeChange, ReactFlow, ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { type KeyboardEvent, useCallback, useEffect, useId, useMemo, useRef } from 'react';
import { useMay } from '../../../control-plane/session.ts';
import { CanvasTools } from './canvas-tools.tsx';
import { boxWidth, type Point } from './layout.ts';
import { isDirection, moved as movedBy, neighbour } from './neighbour.ts';
import { edgesOf, heightOf, nodeOf, type Placed, placesOf, type ServiceNode } from './nodes.ts';
import { ServiceBox, wordsOfBox } from './service-box.tsx';
import { glanceOf } from './service-glance.ts';
import { Standing, StandingContext } from './standing.ts';
import { usePlacing } from './use-placing.ts';

interface CanvasProps {
  /** Of the environment. */
  name: string;
  projectId: string;
  services: readonly Placed[];
  /** The service whose panel is open. */
  open: string | undefined;
  onOpen: (service: Placed | undefined) => void;
}

const kinds = { service: ServiceBox };
const keyStep = 24;
const leastZoom = 0.1;
/** Boxes can be read. */
const readableZoom = 0.8;
/** Among these one finds a service by eye. */
const fewServices = 12;

/** The services of an environment as boxes, with lines to those that they need. */
export function Canvas(props: CanvasProps) {
  return (
    <ReactFlowProvider>
      <Drawn {...props} />
    </ReactFlowProvider>
  );
}

function Drawn({ name, projectId, services, open, onOpen }: CanvasProps) {
  const mayPlace = useMay('deployer');
  const help = useId();
  const placing = usePlacing(projectId);
  const arranged = useMemo(() => placesOf(services), [services]);
  const places = useMemo(
    () => new Map([...arranged].map(([id, place]) => [id, placing.moved[id] ?? place])),
    [arranged, placing.moved],
  );
  const nodes = useNodes(services, places);
  const edges = useMemo(() => edgesOf(services), [services]);
  const standing = useStandingOf(services, open, onOpen);
  const show = useShow(standing, services, places, services.find(({ slug }) => slug === open)?.id ?? '');

  const { drag, drop } = placing;
  const onNodesChange = useCallback(
    (changes: NodeChange<ServiceNode>[]) => {
      for (const change of changes) {
        if (change.type === 'position' && change.dragging === true && change.position) drag(change.id, change.position);
      }
    },
    [drag],
  );
  const from = useRef<Point>(undefined);

  const onKeyDown = (event: KeyboardEvent) => {
    if (event.ctrlKey || event.metaKey || event.altKey || !(event.target as HTMLElement).dataset.service) return;
    const { current } = standing;
    const here = places.get(current);
    if (here === undefined) return;
    if (isDirection(event.key) && event.shiftKey) {
      if (mayPlace) drop(current, movedBy(here, event.key, keyStep), here);
    } else if (isDirection(event.key)) show(neighbour(places, current, event.key));
    else if (event.key === 'Home') show(services[0]?.id);
    else if (event.key === 'End') show(services.at(-1)?.id);
    else return;
    event.preventDefault();
  };

  return (
    <StandingContext value={standing}>
      <section
        aria-label={`Canvas of ${name}`}
        aria-describedby={help}
        onKeyDown={onKeyDown}
        className="relative h-[calc(100dvh-22rem)] min-h-96 w-full max-sm:h-[64dvh]"
      >
        <ReactFlow
          nodes={nodes}
          edges={edges}
          nodeTypes={kinds}
          onNodesChange={onNodesChange}
          onNodeDragStart={(_, { position }) => {
            from.current = position;
          }}
          onNodeDragStop={(_, { id, position }) => drop(id, position, from.current ?? position)}
          nodesDraggable={mayPlace}
          nodesConnectable={false}
          elementsSelectable={false}
          nodesFocusable={false}
          edgesFocusable={false}
          disableKeyboardA11y
          deleteKeyCode={null}
          selectionKeyCode={null}
          multiSelectionKeyCode={null}
          nodeDragThreshold={4}
          nodeClickDistance={4}
          onlyRenderVisibleElements
          minZoom={leastZoom}
          maxZoom={1.5}
          fitView
          fitViewOptions={{ minZoom: leastZoom, maxZoom: 1, padding: 0.08 }}
        >
          <Background gap={keyStep} />
          <CanvasTools
            names={services.length > fewServices ? services : []}
            find={(id) => show(id, readableZoom)}
            arrange={
              mayPlace && services.some(({ at }) => at !== undefined)
                ? () => placing.arrange(placedBefore(services))
                : undefined
            }
          />
        </ReactFlow>
        <p id={help} className="sr-only">
          Arrow keys move between services, Enter opens one, Escape closes it.
          {mayPlace && ' Shift and an arrow key move the service itself.'}
        </p>
      </section>
      <ul aria-label={`Services on the canvas of ${name}`} className="sr-only">
        {services.map((placed) => (
          <li key={placed.id}>{wordsOfBox(placed, glanceOf(placed.overview))}</li>
        ))}
      </ul>
    </StandingContext>
  );
}

/** A node stays the same object as long as nothing of it changes: those that rest are not drawn again. */
function useNodes(services: readonly Placed[], places: ReadonlyMap<string, Point>): ServiceNode[] {
  const before = useRef(new Map<string, ServiceNode>());
  return useMemo(() => {
    const nodes = services.map((placed) => {
      const place = places.get(placed.id) ?? { x: 0, y: 0 };
      const known = before.current.get(placed.id);
      const same = known?.data.placed === placed && known.position.x === place.x && known.position.y === place.y;
      return same ? known : nodeOf(placed, place);
    });
    before.current = new Map(nodes.map((node) => [node.id, node]));
    return nodes;
  }, [services, places]);
}

function useStandingOf(services: readonly Placed[], open: string | undefined, onOpen: CanvasProps['onOpen']): Standing {
  const standing = useRef<Standing>(undefined);
  standing.current ??= new Standing();
  const it = standing.current;
  it.onOpen = (id) => onOpen(id === it.open ? undefined : services.find((one) => one.id === id));
  useEffect(() => {
    const id = services.find(({ slug }) => slug === open)?.id ?? '';
    // Closed by a key or the panel's own button: the focus returns to the box.
    const closed = it.open !== '' && id === '' && (document.activeElement ?? document.body) === document.body;
    const current = services.some((one) => one.id === it.current) ? it.current : (services[0]?.id ?? '');
    it.set({ open: id, current: id === '' ? current : id, ...(closed ? { focus: it.open } : {}) });
  }, [it, services, open]);
  return it;
}

/** Moves to a box with the keyboard: one that is out of sight is brought into it, and so is the one that is open. */
function useShow(standing: Standing, services: readonly Placed[], places: ReadonlyMap<string, Point>, openId: string) {
  const { getViewport, setCenter } = useReactFlow();
  const bring = (id: string, least = 0): boolean => {
    const place = places.get(id);
    const placed = services.find((one) => one.id === id);
    if (place === undefined || placed === undefined) return false;
    const { x, y, zoom: before } = getViewport();
    const zoom = Math.max(before, least);
    const height = heightOf(placed);
    const room = document.querySelector('.react-flow')?.getBoundingClientRect();
    const left = place.x * zoom + x;
    const top = place.y * zoom + y;
    const seen =
      zoom === before &&
      room !== undefined &&
      left >= 0 &&
      top >= 0 &&
      left + boxWidth * zoom <= room.width &&
      top + height * zoom <= room.height;
    if (!seen) void setCenter(place.x + boxWidth / 2, place.y + height / 2, { zoom });
    return true;
  };
  const latest = useRef(bring);
  latest.current = bring;
  // A panel that opens takes room; a box that is out of sight then is not drawn, and would lose the focus.
  useEffect(() => {
    if (openId === '') return;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => {
        latest.current(openId);
        if (document.activeElement === document.body) standing.set({ focus: openId });
      });
    });
    return () => cancelAnimationFrame(frame);
  }, [openId, standing]);
  return (id: string | undefined, least?: number) => {
    if (id !== undefined && bring(id, least)) standing.set({ current: id, focus: id });
  };
}

function placedBefore(services: readonly Placed[]): Record<string, Point> {
  return Object.fromEntries(services.flatMap(({ id, at }) => (at === undefined ? [] : [[id, at]])));
}
