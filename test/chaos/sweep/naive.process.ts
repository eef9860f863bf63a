// What people write without a ledger: try until it works. node naive.process.ts '{"paymentsUrl":…,"order":…}'. Killed and
// started again it knows nothing of what it did, and the sweep must see that.
const { paymentsUrl, order } = JSON.parse(process.argv[2] ?? '{}') as { paymentsUrl: string; order: string };

process.on('disconnect', () => process.exit(1));
for (;;) {
  try {
    const body = JSON.stringify({ orderId: order, amount: 49, reason: 'naive' });
    const headers = { 'content-type': 'application/json' };
    const response = await fetch(`${paymentsUrl}/refunds`, { method: 'POST', body, headers });
    if (response.ok) break;
  } catch {
    // Try again: that is the whole plan.
  }
  await new Promise((resolve) => setTimeout(resolve, 200));
}
process.exit(0);
