-- Creates payments in Medusa through the route of bench/peers/medusa: one request each.
done = function(summary, latency) require('report')(summary, latency) end

wrk.method = 'POST'
wrk.path = '/peer/payments'
wrk.headers['Content-Type'] = 'application/json'
wrk.body = '{"amount":1000,"currency_code":"eur"}'
