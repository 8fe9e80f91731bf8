#pragma once
// The whole of libqrencode that Swift sees. Only EarshotGateway imports this module.
#if !__has_include(<qrencode.h>)
#error "the header of libqrencode is missing: install libqrencode-dev"
#endif
#include <qrencode.h>
