import { ReactFlow } from '@xyflow/react';
import { createElement } from 'react';
import { createRoot } from 'react-dom/client';

declare const document: { getElementById(id: string): Element | null };

/** In columns, as far from each other as the console's. */
const nodes = Array.from({ length: 200 }, (_, number) => ({
  id: String(number),
  position: { x: (number % 15) * 296, y: Math.floor(number / 15) * 116 },
  data: { label: `Node ${number}` },
}));

const place = document.getElementById('page');
if (place !== null)
  createRoot(place).render(
    createElement(ReactFlow, {
      defaultNodes: nodes,
      onlyRenderVisibleElements: true,
      minZoom: 0.1,
      fitView: true,
      fitViewOptions: { minZoom: 0.4 },
    }),
  );
