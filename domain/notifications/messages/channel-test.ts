/** The message by which somebody sees that a channel works. No link of its own: the sender adds that of the channels' page. */
export function channelTest({ organization, label }: { organization: string; label: string }) {
  return {
    kind: 'deploy' as const,
    title: `Test of the channel ${label}`,
    body: `Notifications of ${organization} arrive here.`,
  };
}
