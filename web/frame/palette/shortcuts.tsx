import { useNavigate } from '@tanstack/react-router';
import { lazy, Suspense, useEffect, useState } from 'react';
import { mayActAs } from '../../../domain/roles.ts';
import { useMembership } from '../../control-plane/session.ts';
import { file } from '../page-file.ts';
import { places } from '../places.ts';
import { isBusy, isDialogOpen, sequenceMillis } from './page-keys.ts';
import { closePalette, isPaletteOpen, openPalette } from './palette-open.ts';

/** Ctrl-K, `?`, and `g` followed by a letter. Not while something is typed, nor while a dialog is open. */
export function Shortcuts() {
  const [shown, setShown] = useState(false);
  const [asked, setAsked] = useState(false);
  const { slug: organization, role } = useMembership();
  const navigate = useNavigate();
  const reachable = places.filter((place) => mayActAs(role, place.role));

  useEffect(() => {
    let going = 0;
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() === 'k' && (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
        event.preventDefault();
        if (isPaletteOpen()) closePalette();
        else if (!isDialogOpen()) openPalette();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || isBusy(event.target)) return;
      if (event.key === '?') {
        setAsked(true);
        setShown(true);
      } else if (event.key === 'g') going = Date.now();
      else {
        const place = Date.now() - going < sequenceMillis && reachable.find(({ key }) => key === event.key);
        going = 0;
        if (!place) return;
        event.preventDefault();
        void navigate({ to: place.to, params: { organization } });
      }
    };
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [organization, reachable, navigate]);

  return (
    asked && (
      <Suspense>
        <ShortcutList open={shown} onClose={() => setShown(false)} />
      </Suspense>
    )
  );
}

/** Loaded lazily: most visits never open it. */
const ShortcutList = lazy(() =>
  file(() => import('./shortcut-list.tsx')).then((loaded) => ({ default: loaded.ShortcutList })),
);
