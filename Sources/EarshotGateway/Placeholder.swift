enum PlaceholderEarshotGateway {}
