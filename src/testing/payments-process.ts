// The payment service as its own process: node payments-process.ts '{"dbFile":"payments.db"}' (PaymentsOptions as JSON).
import { startPayments, type PaymentsOptions } from './payments.ts';
import { serveUntilTold } from './serve-until-told.ts';

// Written by startPaymentsProcess, whose argument has this type.
await serveUntilTold((options) => startPayments(options as PaymentsOptions));
