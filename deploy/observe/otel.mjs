// Sends the traces of Payin to a collector: NODE_OPTIONS='--import ./deploy/observe/otel.mjs' npm start
// It needs: npm install --no-save @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-http
// OTEL_EXPORTER_OTLP_ENDPOINT says where to send, OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG how much.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeSDK } from '@opentelemetry/sdk-node'

const sdk = new NodeSDK({ serviceName: 'payin', traceExporter: new OTLPTraceExporter() })
sdk.start()
// Payin ends within 25 seconds of SIGTERM; the remaining traces are sent before.
process.once('SIGTERM', () => void sdk.shutdown())
