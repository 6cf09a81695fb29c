import './console.css';
import { CSPProvider } from '@base-ui/react/csp-provider';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { Toasts } from './components/toasts/toasts.tsx';
import { personPlane } from './control-plane/plane.ts';
import { ConnectionNotice } from './frame/connection-notice.tsx';
import { watchNetwork } from './live/contact.ts';
import { router, startLoading } from './router.ts';

const place = document.getElementById('console');
if (place === null) throw new Error('The document has no place for the console.');

watchNetwork();
startLoading(location.pathname);

createRoot(place).render(
  <StrictMode>
    {/* The policy allows no style in the page itself. */}
    <CSPProvider disableStyleElements>
      <QueryClientProvider client={personPlane.queryClient}>
        <RouterProvider router={router} />
        <Toasts />
        <ConnectionNotice />
      </QueryClientProvider>
    </CSPProvider>
  </StrictMode>,
);
