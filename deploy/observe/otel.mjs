// Sends the traces of Payin to a collector: NODE_OPTIONS='--import ./deploy/observe/otel.mjs' npm start
// It needs: npm install --no-save @opentelemetry/sdk-node @opentelemetry/exporter-trace-otlp-http
// Where to is in OTEL_EXPORTER_OTLP_ENDPOINT, how much in OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG.
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http'
import { NodeSDK } from '@opentelemetry/sdk-node'

const sdk = new NodeSDK({ serviceName: 'payin', traceExporter: new OTLPTraceExporter() })
sdk.start()
// Payin ends on SIGTERM, within 25 seconds; what is left by then is sent before.
process.once('SIGTERM', () => void sdk.shutdown())
