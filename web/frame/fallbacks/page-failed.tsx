import { type ErrorComponentProps, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { Button } from '../../components/forms/button.tsx';
import { LoadingRows } from '../../components/loading.tsx';
import { Card, Page } from '../../components/page.tsx';
import { EmptyState, ErrorState } from '../../components/states.tsx';
import { FileMissing, reloadOnce } from '../page-file.ts';

export function PageLoading() {
  return (
    <div className="mx-auto w-full max-w-[1080px] px-8 pt-8 max-sm:px-4">
      <LoadingRows />
    </div>
  );
}

export function PageFailed({ error, reset }: ErrorComponentProps) {
  const router = useRouter();
  const retry = () => {
    reset();
    void router.invalidate();
  };
  if (error instanceof FileMissing) return <PageOutdated />;
  return (
    <Page title="Something went wrong">
      <Card>
        <ErrorState error={error} retry={retry} />
      </Card>
    </Page>
  );
}

/** A file of this page is no longer served: the console was updated, and reloads itself. */
function PageOutdated() {
  const [stuck, setStuck] = useState(false);
  useEffect(() => {
    const over = new AbortController();
    void reloadOnce(over.signal).then((reloading) => setStuck(!reloading && !over.signal.aborted));
    return () => over.abort();
  }, []);
  if (!stuck) return <PageLoading />;
  return (
    <Page title="This page could not be loaded">
      <Card>
        <EmptyState
          title="A file of the console is missing"
          action={<Button onClick={() => location.reload()}>Reload</Button>}
        >
          The control plane may be updating; reload the page in a moment.
        </EmptyState>
      </Card>
    </Page>
  );
}
