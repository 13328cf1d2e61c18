-- Creates payments in Medusa as a storefront does: a payment collection for a cart, then a session in it.
-- LOAD_KEY: publishable key. LOAD_FIRST: number of the first cart that has no payment yet.
done = function(summary, latency) require('report')(summary, latency) end

local headers = { ['Content-Type'] = 'application/json', ['x-publishable-api-key'] = os.getenv('LOAD_KEY') }
local cart = tonumber(os.getenv('LOAD_FIRST'))
local withoutSession = {}

function request()
  local collection = table.remove(withoutSession)
  if collection then
    local path = '/store/payment-collections/' .. collection .. '/payment-sessions'
    return wrk.format('POST', path, headers, '{"provider_id":"pp_system_default"}')
  end
  cart = cart + 1
  return wrk.format('POST', '/store/payment-collections', headers, '{"cart_id":"cart-' .. (cart - 1) .. '"}')
end

function response(status, answered, body)
  local collection = body:match('"payment_collection":{"id":"([^"]+)".*"payment_sessions":%[%]')
  if collection then table.insert(withoutSession, collection) end
end
